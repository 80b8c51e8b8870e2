import { Textarea, TextInput } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Answer } from 'contract/core/endpoint.ts';
import type { DailyLimit, decideWithdrawals, Withdrawal } from 'contract/withdrawals.ts';
import { useState } from 'react';
import type { Failure } from '#panel/shell/call.ts';
import { formatAmount } from '#panel/ui/amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { OutcomeOfMany } from '#panel/ui/outcome-of-many.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { formatTotal } from '#panel/ui/table/view.ts';
import { dailyLimitQuery, useApprove, useDecideMany, useReject } from './api.ts';
import { LimitSplit } from './daily-limit.tsx';

export type Decision = 'approve' | 'reject';

/** A snapshot of the click: decisions of others in the meantime do not change the dialog. */
export type DecisionRequest = { decision: Decision; withdrawals: readonly Withdrawal[] };

type Props = DecisionRequest & { onDone: () => void; onDecided: () => void };

/** Mounted only while the modal is open, so that the next decision starts empty. */
export function DecideForm({ decision, withdrawals, onDone, onDecided }: Props) {
  const claimed = decision === 'approve' && withdrawals.length === 1 ? (withdrawals[0]?.reference ?? '') : '';
  const [text, setText] = useState(claimed);
  const [tried, setTried] = useState(false);
  const { isPending, decide, outcome } = useDecide({ decision, withdrawals, onDone, onDecided });
  const limit = useQuery({ ...dailyLimitQuery, enabled: decision === 'approve' });
  if (outcome) return <Outcome outcome={outcome} decision={decision} onClose={onDone} />;
  const missing = decision === 'reject' && text.trim() === '';
  // Approving waits for the limit, which shows what is paid immediately and what is not.
  const unknown = decision === 'approve' && !limit.data;
  const submit = () => {
    setTried(true);
    if (!missing && !unknown && !isPending) decide(text.trim());
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
      <Consequence decision={decision} withdrawals={withdrawals} limit={limit} />
      <FormFields saving={isPending}>
        {decision === 'reject' ? (
          <Textarea
            label="Reason"
            description="Shown with the withdrawal and saved in the audit log."
            data-autofocus
            required
            mt="md"
            rows={3}
            maxLength={500}
            value={text}
            error={tried && missing ? 'Enter a reason.' : undefined}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        ) : (
          withdrawals.length === 1 && (
            <TextInput
              label="Transaction reference"
              description={
                claimed
                  ? 'An earlier request named this transaction as the payment. A second approver verifies it.'
                  : 'Enter it if the payment has already been sent: the withdrawal is then completed immediately. Leave it empty to approve now and send later.'
              }
              readOnly={claimed !== ''}
              mt="md"
              maxLength={200}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
          )
        )}
      </FormFields>
      <ModalActions waiting={isPending}>
        <Button
          type="submit"
          {...(decision === 'reject' && { color: 'red' })}
          loading={isPending}
          disabledReason={unknown ? 'Your daily limit is still loading.' : undefined}
        >
          {decision === 'reject' ? 'Reject' : 'Approve'}
        </Button>
      </ModalActions>
    </form>
  );
}

type ConsequenceProps = DecisionRequest & { limit: UseQueryResult<DailyLimit, Failure> };

function Consequence({ decision, withdrawals, limit }: ConsequenceProps) {
  if (decision === 'reject') {
    return <p className="withdrawal-quiet">This can't be undone. The amount is available to the user again.</p>;
  }
  if (limit.data) return <LimitSplit withdrawals={withdrawals} limit={limit.data} />;
  if (limit.isError) return <LoadError title="Failed to fetch your daily limit" query={limit} />;
  return <SkeletonLines lines={2} label="Loading your daily limit" />;
}

const noun = { one: 'withdrawal', many: 'withdrawals' };
const formatWithdrawals = (count: number) => formatTotal({ count, capped: false }, noun);

type OutcomeProps = { outcome: Answer<typeof decideWithdrawals>; decision: Decision; onClose: () => void };

function Outcome({ outcome: { done, requested, refused }, decision, onClose }: OutcomeProps) {
  const messages = [
    ...(done > 0 ? [`${formatWithdrawals(done)} ${decision === 'approve' ? 'approved' : 'rejected'}.`] : []),
    ...(requested > 0 ? [`${formatWithdrawals(requested)} sent to a second approver.`] : []),
  ];
  const left = refused.map(({ id, user, error }) => ({ id, name: user ?? id, why: error }));
  return <OutcomeOfMany done={messages} left={left} noun={noun} onClose={onClose} />;
}

const sumOf = (withdrawals: readonly Withdrawal[]) => withdrawals.reduce((sum, { amount }) => sum + amount, 0n);

function Question({ decision, withdrawals }: DecisionRequest) {
  return <p className="withdrawal-question">{formatQuestion({ decision, withdrawals })}</p>;
}

function formatQuestion({ decision, withdrawals: [only, ...others] }: DecisionRequest) {
  if (!only) return '';
  const sum = formatAmount(sumOf([only, ...others]), 'USD');
  if (others.length > 0) {
    return `${decision === 'approve' ? 'Approve' : 'Reject'} ${formatWithdrawals(1 + others.length)} totaling ${sum}?`;
  }
  return decision === 'approve' ? `Pay ${sum} to ${only.user}?` : `Return ${sum} to ${only.user}'s balance?`;
}

function useDecide({ decision, withdrawals, onDone, onDecided }: Props) {
  const close = () => {
    onDecided();
    onDone();
  };
  const approving = useApprove({ onDone: close });
  const rejecting = useReject({ onDone: close });
  // A bulk decision keeps the dialog open to show its outcome.
  const deciding = useDecideMany({ onDone: onDecided });
  const [only, ...others] = withdrawals;
  const decide = (text: string) => {
    if (others.length > 0) {
      const ids = withdrawals.map(({ id }) => id);
      deciding.mutate({ body: { ids, ...(decision === 'reject' && { rejectedFor: text }) } });
    } else if (only && decision === 'reject') rejecting.mutate({ params: { id: only.id }, body: { reason: text } });
    else if (only) approving.mutate({ params: { id: only.id }, body: text === '' ? {} : { reference: text } });
  };
  return {
    isPending: approving.isPending || rejecting.isPending || deciding.isPending,
    decide,
    outcome: deciding.data,
  };
}
