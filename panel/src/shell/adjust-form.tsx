import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { AdjustedAsset } from 'contract/ledger.ts';
import { readAmount } from 'contract/money.ts';
import type { User } from 'contract/users.ts';
import { useState } from 'react';
import { sayAmount } from '#panel/ui/amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { useAdjust } from './api.ts';

type Props = { user: User; onDone: () => void };

const labels: Record<AdjustedAsset, string> = { USD: 'USD', GMP: 'GMP', SLX: 'SLX points', SHARE: 'GMP shares' };

const newId = () => crypto.randomUUID();

/** Lives only while the modal is open: the next adjustment starts empty. */
export function AdjustForm({ user, onDone }: Props) {
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
    adjusting.mutate({ body: { id, person: user.id, asset, amount: amount.trim(), reason: reason.trim() } });
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="user-subject">
        {user.username} <span className="user-id">{user.userId}</span>
      </p>
      <p className="user-quiet">
        {`Available: ${sayAmount(user.available, 'USD')}. `}
        Posted as a transfer. Above the limit, and in anything but dollars, a second person is asked.
      </p>
      <FormFields saving={adjusting.isPending}>
        <NativeSelect
          label="Asset"
          mt="md"
          data={AdjustedAsset.options.map((value) => ({ value, label: labels[value] }))}
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
