import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { readAmount, writeAmount } from 'contract/core/money.ts';
import { requestWriteOff, TreasuryAsset } from 'contract/ledger.ts';
import type { User } from 'contract/users.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { formatAssetAmount } from '#panel/domain/fact-text.ts';
import { useRequestWriteOff } from './api.ts';

type Props = { user: User; onDone: () => void };

const newId = () => crypto.randomUUID();

const owedIn = (user: User, asset: TreasuryAsset) => (asset === 'USD' ? user.receivable : user.receivableGmp);

function amountError(units: bigint | undefined, owed: bigint) {
  if (units === undefined || units <= 0n) return requestWriteOff.refusals[422].AmountInvalid;
  return units > owed ? requestWriteOff.refusals[409].ReceivableTooLow : undefined;
}

/** The state of the form. It starts with all that the user owes in an asset. */
function useWriteOff({ user, onDone }: Props) {
  const assets = TreasuryAsset.options.filter((one) => owedIn(user, one) > 0n);
  const [asset, setAsset] = useState<TreasuryAsset>(assets[0] ?? 'USD');
  const owed = owedIn(user, asset);
  const [amount, setAmount] = useState(() => writeAmount(owed, asset));
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  // A retry after a lost response sends the same id, so it is the same request.
  const [id] = useState(newId);
  const requesting = useRequestWriteOff({ onDone });
  const wrongAmount = amountError(readAmount(amount.trim(), asset), owed);
  const wrongReason = reason.trim() === '' ? 'Enter a reason.' : undefined;
  const choose = (chosen: TreasuryAsset) => {
    setAsset(chosen);
    setAmount(writeAmount(owedIn(user, chosen), chosen));
  };
  const submit = () => {
    setTried(true);
    if (wrongAmount !== undefined || wrongReason !== undefined || requesting.isPending) return;
    requesting.mutate({ body: { id, user: user.id, asset, amount: amount.trim(), reason: reason.trim() } });
  };
  const errors = tried ? { amount: wrongAmount, reason: wrongReason } : { amount: undefined, reason: undefined };
  return {
    assets,
    asset,
    choose,
    owed,
    amount,
    setAmount,
    reason,
    setReason,
    errors,
    submit,
    saving: requesting.isPending,
  };
}

/** Mounted again each time the modal opens. */
export function WriteOffForm({ user, onDone }: Props) {
  const form = useWriteOff({ user, onDone });
  const { assets, asset, owed, saving } = form;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      <p className="user-subject">
        {user.username} <span className="user-id">{user.userId}</span>
      </p>
      <p className="user-quiet">
        The user owes {formatAssetAmount(owed, asset)}. The treasury bears what is written off, after a second approval.
      </p>
      <FormFields saving={saving}>
        {assets.length > 1 && (
          <NativeSelect
            label="Asset"
            mt="md"
            data={assets}
            value={asset}
            onChange={({ currentTarget }) => form.choose(TreasuryAsset.parse(currentTarget.value))}
          />
        )}
        <TextInput
          label={`Amount in ${asset}`}
          required
          mt="md"
          inputMode="decimal"
          autoComplete="off"
          value={form.amount}
          error={form.errors.amount}
          onChange={({ currentTarget }) => form.setAmount(currentTarget.value)}
        />
        <Textarea
          label="Reason"
          description="Saved in the audit log and shown to the approver."
          data-autofocus
          required
          mt="md"
          rows={3}
          maxLength={500}
          value={form.reason}
          error={form.errors.reason}
          onChange={({ currentTarget }) => form.setReason(currentTarget.value)}
        />
      </FormFields>
      <ModalActions waiting={saving}>
        <Button type="submit" loading={saving}>
          Request write-off
        </Button>
      </ModalActions>
    </form>
  );
}
