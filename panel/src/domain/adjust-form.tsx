import { useMutation, useQueryClient } from '@tanstack/react-query';
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { adjust, AdjustedAsset } from 'contract/ledger.ts';
import { readAmount } from 'contract/core/money.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { toastSuccess } from '#panel/ui/toast.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import { mutationFor } from '#panel/shell/query.ts';
import './adjust.css';

export type Adjusted = {
  /** Null is the treasury. */
  user: string | null;
  name: string;
  /** The user number, which humans quote. */
  number?: string;
  /** The current balance, as a sentence. */
  has: string;
  assets: readonly AdjustedAsset[];
};

const labels: Record<AdjustedAsset, string> = { USD: 'USD', GMP: 'GMP', SLX: 'SLX points', SHARE: 'GMP shares' };

const newId = () => crypto.randomUUID();

type AdjustText = { submit: string; done: string; failed: string };

const adjusting: AdjustText = { submit: 'Adjust', done: 'Balance adjusted', failed: 'Failed to adjust the balance' };
const funding: AdjustText = { submit: 'Fund treasury', done: 'Treasury funded', failed: 'Failed to fund the treasury' };
const withdrawing: AdjustText = {
  submit: 'Withdraw from treasury',
  done: 'Withdrawn from the treasury',
  failed: 'Failed to withdraw from the treasury',
};

/** The treasury is funded or withdrawn from; only a user's balance is adjusted. */
function textFor({ user }: Adjusted, units: bigint | undefined) {
  if (user !== null) return adjusting;
  return units !== undefined && units < 0n ? withdrawing : funding;
}

/** Mounted again each time the modal opens, so that every adjustment starts empty. */
export function AdjustForm({ adjusted, onDone }: { adjusted: Adjusted; onDone: () => void }) {
  const { user, assets } = adjusted;
  const [asset, setAsset] = useState<AdjustedAsset>('USD');
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  // A retry after a lost response sends the same id, so it is the same adjustment.
  const [id] = useState(newId);
  const units = readAmount(amount.trim(), asset);
  const text = textFor(adjusted, units);
  const posting = useAdjust({ text, onDone });
  const complete = units !== undefined && units !== 0n && reason.trim() !== '';
  const submit = () => {
    setTried(true);
    if (!complete || posting.isPending) return;
    posting.mutate({ body: { id, user, asset, amount: amount.trim(), reason: reason.trim() } });
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <About adjusted={adjusted} />
      <FormFields saving={posting.isPending}>
        <NativeSelect
          label="Asset"
          mt="md"
          data={assets.map((value) => ({ value, label: labels[value] }))}
          value={asset}
          onChange={({ currentTarget }) => setAsset(AdjustedAsset.parse(currentTarget.value))}
        />
        <TextInput
          label="Amount"
          description={`Use a negative amount to ${user === null ? 'withdraw' : 'deduct'}.`}
          data-autofocus
          required
          mt="md"
          inputMode="decimal"
          autoComplete="off"
          value={amount}
          error={tried && !units ? `Enter an amount of ${labels[asset]}, such as 12.50 or -3.` : undefined}
          onChange={({ currentTarget }) => setAmount(currentTarget.value)}
        />
        <Textarea
          label="Reason"
          description="Saved in the audit log and shown to the approver."
          required
          mt="md"
          rows={3}
          maxLength={500}
          value={reason}
          error={tried && reason.trim() === '' ? 'Enter a reason.' : undefined}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </FormFields>
      <ModalActions waiting={posting.isPending}>
        <Button type="submit" loading={posting.isPending}>
          {text.submit}
        </Button>
      </ModalActions>
    </form>
  );
}

const About = ({ adjusted: { user, name, number, has } }: { adjusted: Adjusted }) => (
  <>
    <p className="adjust-subject">
      {name} <span className="adjust-quiet">{number}</span>
    </p>
    <p className="adjust-quiet">
      {`${has} `}
      {user !== null && 'Dollars and GMP are paid from the treasury. '}
      Posted as a transfer. Amounts above the limit, and assets other than dollars, need a second approver.
    </p>
  </>
);

function useAdjust({ text, onDone }: { text: AdjustText; onDone: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(adjust),
    onSuccess: ({ state }) => {
      toastSuccess(state === 'posted' ? text.done : 'Sent to a second approver');
      onDone();
    },
    onError: (failure) => reportFailure(text.failed, failure),
    onSettled: async () => {
      const touched = ['users', 'ledger', 'approvals'];
      await Promise.all(touched.map((feature) => queryClient.invalidateQueries({ queryKey: [feature] })));
    },
  });
}
