import { Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type Approval, decideApproval, refuseApproving } from 'contract/approvals.ts';
import { anyCallRefusals } from 'contract/endpoint.ts';
import { holds } from 'contract/permissions.ts';
import { useEffect, useRef, useState } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { useNowMs } from '#panel/ui/clock.ts';
import { Facts } from '#panel/ui/facts.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { Moment } from '#panel/ui/moment.tsx';
import type { RowViewProps } from '#panel/ui/row-drawer.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { EmptyState, SkeletonLines } from '#panel/ui/states.tsx';
import { exactUtc } from '#panel/ui/time-words.ts';
import { approvalsQuery, useDecideApproval } from './api.ts';
import { ApprovalState } from './approval-state.tsx';

const route = getRouteApi('/dashboard/approvals');

/** The list carries all there is to know of a request: nothing more is asked for. */
export function ApprovalView({ known }: RowViewProps<Approval>) {
  const { data, isFetching } = useQuery(approvalsQuery(route.useSearch()));
  if (!known && isFetching) return <SkeletonLines lines={8} label="Loading the request" />;
  if (!known) return <EmptyState title="Not on this page." line="Clear the filter, or turn to the page it is on." />;
  return (
    <div className="approval">
      <Facts
        facts={[
          ...known.facts,
          { name: 'State', value: <ApprovalState status={known.state} /> },
          { name: 'Asked by', value: known.askedBy.username },
          { name: 'Asked', value: <Moment at={known.askedAt} /> },
          known.state === 'waiting'
            ? { name: 'Ends', value: exactUtc(known.expiresAt) }
            : { name: 'Ended', value: <Moment at={known.decidedAt ?? known.expiresAt} /> },
          ...(known.decidedBy ? [{ name: 'Decided by', value: known.decidedBy.username }] : []),
          ...(known.reason === null ? [] : [{ name: 'Why', value: known.reason }]),
          { name: 'Subject', value: <Subject approval={known} /> },
          { name: 'Digest', value: <ShortId id={known.digest} /> },
        ]}
      />
      {known.state === 'waiting' && <Decide approval={known} aloneAfterSeconds={data?.aloneAfterSeconds ?? null} />}
    </div>
  );
}

function Subject({ approval: { kind, subject, person } }: { approval: Approval }) {
  return kind === 'withdrawal' ? (
    <Link to="/dashboard/manage-withdraw" search={{ withdrawal: subject }} className="approval-link">
      The withdrawal
    </Link>
  ) : (
    <Link to="/dashboard/user-profile/$id" params={{ id: person }} className="approval-link">
      The user
    </Link>
  );
}

type Props = { approval: Approval; aloneAfterSeconds: number | null };

function Decide({ approval, aloneAfterSeconds }: Props) {
  const me = useMe();
  const nowMs = useNowMs();
  const [reason, setReason] = useState('');
  const [denying, setDenying] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (denying) field.current?.focus();
  }, [denying]);
  const deciding = useDecideApproval({ onDone: () => setDenying(false) });
  const refusal = refuseApproving(approval, { me: me.id, now: new Date(nowMs), aloneAfterSeconds });
  const denied = holds(me, 'money.approve') ? undefined : anyCallRefusals[403].PermissionDenied;
  const whyNot = denied ?? (refusal && decideApproval.refusals[409][refusal]);
  const send = (decision: 'approve' | 'deny') => {
    if (deciding.isPending) return;
    const body = { decision, digest: approval.digest, ...(decision === 'deny' && { reason: reason.trim() }) };
    deciding.mutate({ params: { id: approval.id }, body });
  };
  if (!denying) {
    return (
      <div className="approval-buttons">
        <Button disabledReason={whyNot} loading={deciding.isPending} onClick={() => send('approve')}>
          Approve
        </Button>
        <Button variant="default" disabledReason={denied} onClick={() => setDenying(true)}>
          Deny
        </Button>
      </div>
    );
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (reason.trim() !== '') send('deny');
      }}
    >
      <FormFields saving={deciding.isPending}>
        <Textarea
          label="Why"
          description="Told to whoever asked, and kept in the audit log."
          required
          ref={field}
          rows={3}
          maxLength={500}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </FormFields>
      <div className="approval-buttons approval-denying">
        <Button
          type="submit"
          color="red"
          loading={deciding.isPending}
          disabledReason={reason.trim() === '' ? 'Say why first.' : undefined}
        >
          Deny
        </Button>
        <Button variant="default" onClick={() => setDenying(false)}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
