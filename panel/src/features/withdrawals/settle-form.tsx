import { Textarea, TextInput } from '@mantine/core';
import { failureNeedsApproval, type Outcome } from 'contract/withdrawal-states.ts';
import type { Withdrawal } from 'contract/withdrawals.ts';
import { useState } from 'react';
import { formatAmount } from '#panel/ui/amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { useSettle } from './api.ts';

type Props = { withdrawal: Withdrawal; outcome: Outcome; submitLabel: string; onDone: () => void };

/** Asks for what an outcome needs, and says what it does. */
export function SettleForm({ withdrawal, outcome, submitLabel, onDone }: Props) {
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const settling = useSettle({ onDone });
  const field = fieldOf(outcome, withdrawal);
  const missing = field !== undefined && text.trim() === '';
  const submit = () => {
    setTried(true);
    if (missing || settling.isPending) return;
    const given = field && { [field]: text.trim() };
    settling.mutate({ params: { id: withdrawal.id }, body: { outcome, ...given } });
  };
  const shared = {
    'data-autofocus': true,
    required: true,
    mt: 'md',
    value: text,
    error: tried && missing ? errors[field] : undefined,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => setText(currentTarget.value),
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="withdrawal-question">{questionOf(outcome, withdrawal)}</p>
      <p className="withdrawal-quiet">{consequenceOf(outcome, withdrawal)}</p>
      <FormFields saving={settling.isPending}>
        {field === 'reason' && (
          <Textarea
            {...shared}
            label="Reason"
            description="Shown with the withdrawal and saved in the audit log."
            rows={3}
            maxLength={500}
          />
        )}
        {field === 'reference' && (
          <TextInput
            {...shared}
            label="Transaction reference"
            description="The ID of the transaction that paid this withdrawal. It must be unique and can't be changed later."
            maxLength={200}
          />
        )}
      </FormFields>
      <ModalActions waiting={settling.isPending}>
        <Button type="submit" {...(outcome === 'failed' && { color: 'red' })} loading={settling.isPending}>
          {submitLabel}
        </Button>
      </ModalActions>
    </form>
  );
}

const errors = { reference: 'Enter the transaction reference.', reason: 'Enter a reason.' };

function fieldOf(outcome: Outcome, { reference }: Withdrawal) {
  if (outcome === 'failed') return 'reason' as const;
  const needsReference = outcome === 'sent' || (outcome === 'confirmed' && reference === null);
  return needsReference ? ('reference' as const) : undefined;
}

function questionOf(outcome: Outcome, { amount, user }: Withdrawal) {
  const sum = formatAmount(amount, 'USD');
  switch (outcome) {
    case 'sent':
      return `Mark ${sum} to ${user} as sent?`;
    case 'confirmed':
      return `Confirm that ${sum} arrived in ${user}'s wallet?`;
    case 'unknown':
      return `Mark ${sum} to ${user} as unknown?`;
    case 'failed':
      return `Return ${sum} to ${user}'s balance?`;
  }
}

function consequenceOf(outcome: Outcome, withdrawal: Withdrawal) {
  switch (outcome) {
    case 'sent':
      return 'The amount stays on hold until the payment is confirmed.';
    case 'confirmed':
      return "This can't be undone. The withdrawal is completed and the amount leaves the platform.";
    case 'unknown':
      return 'The amount stays on hold, and the withdrawal is not sent again until it is known to have failed.';
    case 'failed':
      return failureNeedsApproval(withdrawal)
        ? 'The withdrawal may have been sent, so this goes to a second approver. The amount is not returned until they approve.'
        : "This can't be undone. The withdrawal was never sent, so the amount becomes available to the user again.";
  }
}
