import { lazy, Suspense, useState } from 'react';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';
import type { DecisionRequest } from './decide-form.tsx';

// Loaded on first use, so that the list loads faster.
const DecideForm = lazy(async () => ({ default: (await import('./decide-form.tsx')).DecideForm }));

type Props = {
  request: DecisionRequest | undefined;
  onClose: () => void;
  /** Called after the decision, before the outcome is closed. */
  onDecided?: () => void;
};

/** Confirms an approval, and asks for the reason of a rejection. */
export function DecideModal({ request, onClose, onDecided = () => undefined }: Props) {
  // The closing animation takes 300 ms and still shows the question.
  const [last, setLast] = useState(request);
  const [formKey, setFormKey] = useState(0);
  if (request && request !== last) {
    setLast(request);
    setFormKey(formKey + 1);
  }
  const many = (last?.withdrawals.length ?? 0) > 1;
  const title = `${last?.decision === 'reject' ? 'Reject' : 'Approve'} ${many ? 'Withdrawals' : 'Withdrawal'}`;
  return (
    <Modal title={title} opened={request !== undefined} onClose={onClose}>
      <Suspense fallback={<SkeletonLines lines={4} />}>
        {last && <DecideForm key={formKey} {...last} onDone={onClose} onDecided={onDecided} />}
      </Suspense>
    </Modal>
  );
}
