import { useMutation, useQueryClient } from '@tanstack/react-query';
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { adjust, AdjustedAsset } from 'contract/ledger.ts';
import { readAmount } from 'contract/money.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { toastSuccess } from '#panel/ui/toast.ts';
import { tellFailure } from '#panel/ui/told-failure.ts';
import { doing } from './query.ts';
import './adjust.css';

export type Adjusted = {
  /** Null is the treasury. */
  person: string | null;
  name: string;
  /** By which people quote them. */
  number?: string;
  /** What they have now, in a sentence. */
  has: string;
  assets: readonly AdjustedAsset[];
};

const labels: Record<AdjustedAsset, string> = { USD: 'USD', GMP: 'GMP', SLX: 'SLX points', SHARE: 'GMP shares' };

const newId = () => crypto.randomUUID();

/** Lives only while the modal is open: the next adjustment starts empty. */
export function AdjustForm({ adjusted, onDone }: { adjusted: Adjusted; onDone: () => void }) {
  const { person, assets } = adjusted;
  const [asset, setAsset] = useState<AdjustedAsset>('USD');
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  // Sent again after an answer that was lost, it is the same adjustment.
  const [id] = useState(newId);
  const adjusting = useAdjust({ onDone });
  const units = readAmount(amount.trim(), asset);
  const complete = units !== undefined && units !== 0n && reason.trim() !== '';
  const submit = () => {
    setTried(true);
    if (!complete || adjusting.isPending) return;
    adjusting.mutate({ body: { id, person, asset, amount: amount.trim(), reason: reason.trim() } });
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
      <FormFields saving={adjusting.isPending}>
        <NativeSelect
          label="Asset"
          mt="md"
          data={assets.map((value) => ({ value, label: labels[value] }))}
          value={asset}
          onChange={({ currentTarget }) => setAsset(AdjustedAsset.parse(currentTarget.value))}
        />
        <TextInput
          label="Amount"
          description="With a minus in front it is taken away."
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
          description="Kept in the audit log, and shown to whoever approves it."
          required
          mt="md"
          rows={3}
          maxLength={500}
          value={reason}
          error={tried && reason.trim() === '' ? 'Enter a reason.' : undefined}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </FormFields>
      <ModalActions waiting={adjusting.isPending}>
        <Button type="submit" loading={adjusting.isPending}>
          Adjust
        </Button>
      </ModalActions>
    </form>
  );
}

const About = ({ adjusted: { name, number, has } }: { adjusted: Adjusted }) => (
  <>
    <p className="adjust-subject">
      {name} <span className="adjust-quiet">{number}</span>
    </p>
    <p className="adjust-quiet">
      {`${has} `}
      Posted as a transfer. Above the limit, and in anything but dollars, a second person is asked.
    </p>
  </>
);

function useAdjust({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...doing(adjust),
    onSuccess: ({ state }) => {
      toastSuccess(state === 'posted' ? 'Balance adjusted' : 'Asked a second person to approve');
      onDone();
    },
    onError: (failure) => tellFailure('Failed to adjust the balance', failure),
    onSettled: async () => {
      const touched = ['users', 'ledger', 'approvals'];
      await Promise.all(touched.map((room) => queryClient.invalidateQueries({ queryKey: [room] })));
    },
  });
}
