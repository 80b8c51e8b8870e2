import { lazy, Suspense, useState } from 'react';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';
import type { Wanted } from './decide-form.tsx';

// Fetched when it is first wanted: the list is quicker without it.
const DecideForm = lazy(async () => ({ default: (await import('./decide-form.tsx')).DecideForm }));

type Props = {
  wanted: Wanted | undefined;
  onClose: () => void;
  /** Told once it is decided, before the outcome is read and closed. */
  onDecided?: () => void;
};

/** Asks once more before money moves, and for the reason where it does not. */
export function DecideModal({ wanted, onClose, onDecided = () => undefined }: Props) {
  // The modal leaves over 300 ms and says to the end what it asked.
  const [last, setLast] = useState(wanted);
  const [turn, setTurn] = useState(0);
  if (wanted && wanted !== last) {
    setLast(wanted);
    setTurn(turn + 1);
  }
  const many = (last?.withdrawals.length ?? 0) > 1;
  const title = `${last?.decision === 'reject' ? 'Reject' : 'Approve'} ${many ? 'Withdrawals' : 'Withdrawal'}`;
  return (
    <Modal title={title} opened={wanted !== undefined} onClose={onClose}>
      <Suspense fallback={<SkeletonLines lines={4} />}>
        {last && <DecideForm key={turn} {...last} onDone={onClose} onDecided={onDecided} />}
      </Suspense>
    </Modal>
  );
}
