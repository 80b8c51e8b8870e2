import { Textarea, TextInput } from '@mantine/core';
import type { Answer } from 'contract/endpoint.ts';
import type { decideWithdrawals, Withdrawal } from 'contract/withdrawals.ts';
import { useState } from 'react';
import { sayAmount } from '#panel/ui/amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { OutcomeOfMany } from '#panel/ui/outcome-of-many.tsx';
import { sayCount, sayTotal } from '#panel/ui/table/view.ts';
import { useApprove, useDecideMany, useReject } from './api.ts';
import type { Decision, Wanted } from './decide-modal.tsx';

type Props = Wanted & { onDone: () => void };

/** Lives only while the modal is open: the next decision starts empty. */
export function DecideForm({ decision, withdrawals, onDone }: Props) {
  const [words, setWords] = useState('');
  const [tried, setTried] = useState(false);
  const { isPending, decide, outcome } = useDecide({ decision, withdrawals, onDone });
  if (outcome) return <Outcome outcome={outcome} decision={decision} onClose={onDone} />;
  const missing = decision === 'reject' && words.trim() === '';
  const submit = () => {
    setTried(true);
    if (!missing && !isPending) decide(words.trim());
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Question decision={decision} withdrawals={withdrawals} />
      <FormFields saving={isPending}>
        {decision === 'reject' ? (
          <Textarea
            label="Reason"
            description="Shown with the withdrawal and kept in the audit log."
            data-autofocus
            required
            mt="md"
            rows={3}
            maxLength={500}
            value={words}
            error={tried && missing ? 'Enter a reason.' : undefined}
            onChange={({ currentTarget }) => setWords(currentTarget.value)}
          />
        ) : (
          withdrawals.length === 1 && (
            <TextInput
              label="Signature of the transaction"
              description="If it was sent on the chain already."
              mt="md"
              maxLength={200}
              value={words}
              onChange={({ currentTarget }) => setWords(currentTarget.value)}
            />
          )
        )}
      </FormFields>
      <ModalActions waiting={isPending}>
        <Button type="submit" {...(decision === 'reject' && { color: 'red' })} loading={isPending}>
          {decision === 'reject' ? 'Reject' : 'Approve'}
        </Button>
      </ModalActions>
    </form>
  );
}

const noun = { one: 'withdrawal', many: 'withdrawals' };
const say = (count: number) => sayTotal({ count, capped: false }, noun);

type OutcomeProps = { outcome: Answer<typeof decideWithdrawals>; decision: Decision; onClose: () => void };

function Outcome({ outcome: { done, asked, refused }, decision, onClose }: OutcomeProps) {
  const words = [
    ...(done > 0 ? [`${say(done)} ${decision === 'approve' ? 'approved' : 'rejected'}.`] : []),
    ...(asked > 0 ? [`${say(asked)} above the limit: a second person was asked.`] : []),
  ];
  const left = refused.map(({ id, user, error }) => ({ id, name: user ?? id, why: error }));
  return <OutcomeOfMany done={words} left={left} noun={noun} onClose={onClose} />;
}

const sumOf = (withdrawals: readonly Withdrawal[]) => withdrawals.reduce((sum, { amount }) => sum + amount, 0n);

function Question({ decision, withdrawals }: Wanted) {
  const sum = sayAmount(sumOf(withdrawals), 'USD');
  const [only] = withdrawals;
  const whose =
    withdrawals.length === 1 ? `to ${only?.user}` : `in ${sayCount(withdrawals.length)} withdrawals, each by itself`;
  return (
    <>
      <p className="withdrawal-question">
        {decision === 'approve' ? `Pay ${sum} ${whose}?` : `Give ${sum} back ${whose}?`}
      </p>
      <p className="withdrawal-quiet">
        {decision === 'approve'
          ? 'A decision is final. Above the limit, alone or with what you paid today, a second person is asked.'
          : 'A decision is final. The amount is available to the user again.'}
      </p>
    </>
  );
}

function useDecide({ decision, withdrawals, onDone }: Props) {
  const approving = useApprove({ onDone });
  const rejecting = useReject({ onDone });
  const deciding = useDecideMany({ onDone: () => undefined });
  const [only, ...others] = withdrawals;
  const decide = (words: string) => {
    if (others.length > 0) {
      const ids = withdrawals.map(({ id }) => id);
      deciding.mutate({ body: { ids, ...(decision === 'reject' && { rejectedFor: words }) } });
    } else if (only && decision === 'reject') rejecting.mutate({ params: { id: only.id }, body: { reason: words } });
    else if (only) approving.mutate({ params: { id: only.id }, body: words === '' ? {} : { signature: words } });
  };
  return {
    isPending: approving.isPending || rejecting.isPending || deciding.isPending,
    decide,
    outcome: deciding.data,
  };
}
