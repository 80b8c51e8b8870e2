import { NativeSelect, TextInput } from '@mantine/core';
import { Rank } from 'contract/ranks.ts';
import { type User } from 'contract/users.ts';
import { promoteUser } from 'contract/users-ranks.ts';
import { type SubmitEvent, useState } from 'react';
import type { Failure } from '#panel/shell/call.ts';
import { Card } from '#panel/ui/card.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { usePromoting } from './rank-api.ts';
import { focusFirstError } from './draft.ts';
import { JobFoot, useDisabledReason } from './job-foot.tsx';
import { RankChanges } from './rank-changes.tsx';
import { RankMoves } from './rank-moves.tsx';
import { Thresholds } from './thresholds.tsx';
import './jobs.css';

export function RankPromotionPage() {
  return (
    <PageFrame title="Rank Promotion" now="Requests a rank for one user. A second approver must approve it.">
      <div className="form-columns">
        <div className="form-side">
          <Card>
            <PromotionForm />
          </Card>
          <Thresholds />
          <RankMoves />
        </div>
        <RankChanges />
      </div>
    </PageFrame>
  );
}

type Draft = { userId: string; newRank: Rank; reason: string };
type Refused = Failure<typeof promoteUser> | null;

const empty: Draft = { userId: '', newRank: 'Silver', reason: '' };

const formatRequested = ({ username, userId }: User, rank: Rank) =>
  `The promotion of ${username} (${userId}) to ${rank} was sent to a second approver.`;

const formatReason = (reason: string) =>
  reason.trim() === '' ? 'Enter a reason.' : 'Give a reason of at least three characters.';

const fieldErrors = new Set<string>(['UserNotFound', 'RankUnchanged']);

const errorFor = (failure: Refused, code: string) => (failure?.code === code ? failure.message : undefined);

function PromotionForm() {
  const denied = useDisabledReason();
  const [values, setValues] = useState(empty);
  const [tried, setTried] = useState(false);
  const [message, setMessage] = useState<string>();
  const promoting = usePromoting({
    onRequested: ({ user }) => {
      setMessage(formatRequested(user, values.newRank));
      setTried(false);
      setValues(empty);
    },
  });
  const read = promoteUser.body.safeParse(values);
  const edit = (more: Partial<Draft>) => {
    setMessage(undefined);
    promoting.reset();
    setValues({ ...values, ...more });
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    setMessage(undefined);
    if (!read.success) focusFirstError(event.currentTarget);
    else if (!promoting.isPending && !denied) promoting.mutate({ body: read.data });
  };
  const isWrong = (field: keyof Draft) => tried && (read.error?.issues.some(({ path }) => path[0] === field) ?? false);
  const failure = promoting.error;
  return (
    <form className="form" noValidate onSubmit={submit}>
      <FormFields saving={promoting.isPending}>
        <TextInput
          label="User ID"
          name="userId"
          required
          autoComplete="off"
          maxLength={64}
          value={values.userId}
          error={isWrong('userId') ? 'Enter a user ID.' : errorFor(failure, 'UserNotFound')}
          disabled={denied !== undefined}
          onChange={(event) => edit({ userId: event.currentTarget.value })}
        />
        <NativeSelect
          label="New rank"
          data={Rank.options}
          value={values.newRank}
          error={errorFor(failure, 'RankUnchanged')}
          disabled={denied !== undefined}
          onChange={(event) => edit({ newRank: Rank.parse(event.currentTarget.value) })}
        />
        <TextInput
          label="Reason"
          name="reason"
          description="Saved with the change."
          required
          autoComplete="off"
          maxLength={500}
          value={values.reason}
          error={isWrong('reason') && formatReason(values.reason)}
          disabled={denied !== undefined}
          onChange={(event) => edit({ reason: event.currentTarget.value })}
        />
      </FormFields>
      <JobFoot
        label="Promote User"
        saving={{ isPending: promoting.isPending, error: failure && fieldErrors.has(failure.code) ? null : failure }}
        message={message}
      />
    </form>
  );
}
