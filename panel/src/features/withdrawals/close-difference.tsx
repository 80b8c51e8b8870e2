import { Textarea } from '@mantine/core';
import type { ReconciliationDifference } from 'contract/withdrawals-reconciliation.ts';
import { useState } from 'react';
import { formatAmount } from '#panel/ui/amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { Facts } from '#panel/ui/facts.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { Modal, ModalActions } from '#panel/ui/modal.tsx';
import { useLast } from '#panel/ui/opening.ts';
import { ShortId } from '#panel/ui/short-id.tsx';
import { useCloseDifference } from './api.ts';
import { useDisabledReason } from './deciding.tsx';
import { differenceKinds } from './difference-columns.tsx';

type Props = { difference: ReconciliationDifference | undefined; onClose: () => void };

/** Shows both sides of a difference, and asks for the note that closes it. */
export function CloseDifference({ difference, onClose }: Props) {
  // The closing animation still shows the difference.
  const shown = useLast(difference);
  return (
    <Modal title="Close Difference" opened={difference !== undefined} onClose={onClose}>
      {shown && <CloseForm key={shown.id} difference={shown} onDone={onClose} />}
    </Modal>
  );
}

function CloseForm({ difference: it, onDone }: { difference: ReconciliationDifference; onDone: () => void }) {
  const [note, setNote] = useState('');
  const [tried, setTried] = useState(false);
  const closing = useCloseDifference({ onDone });
  const denied = useDisabledReason();
  const missing = note.trim() === '';
  const submit = () => {
    setTried(true);
    if (!missing && !closing.isPending && !denied) {
      closing.mutate({ params: { id: it.id }, body: { note: note.trim() } });
    }
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="withdrawal-question">{differenceKinds[it.kind].name}</p>
      <Facts
        facts={[
          ...(it.reference === null ? [] : [{ name: 'Reference', value: <ShortId id={it.reference} /> }]),
          { name: 'In the list', value: sideOf(it.listedAmount, it.listedWallet) },
          { name: 'In Bursar', value: sideOf(it.withdrawal?.amount ?? null, it.withdrawal?.wallet ?? null) },
        ]}
      />
      <FormFields saving={closing.isPending}>
        <Textarea
          label="Note"
          description="Explain the difference. Saved in the audit log."
          data-autofocus
          required
          mt="md"
          rows={3}
          maxLength={500}
          value={note}
          error={tried && missing ? 'Enter a note.' : undefined}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
        />
      </FormFields>
      <ModalActions waiting={closing.isPending}>
        <Button type="submit" loading={closing.isPending} disabledReason={denied}>
          Close difference
        </Button>
      </ModalActions>
    </form>
  );
}

function sideOf(units: bigint | null, wallet: string | null) {
  if (units === null || wallet === null) return 'Not found';
  return (
    <>
      {formatAmount(units, 'USD')} to <ShortId id={wallet} />
    </>
  );
}
