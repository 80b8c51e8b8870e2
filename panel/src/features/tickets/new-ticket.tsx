import { lazy, Suspense } from 'react';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';

type Props = { opened: boolean; onClose: () => void };

// Loaded on first use, so that the list loads faster.
const NewTicketForm = lazy(async () => ({ default: (await import('./new-ticket-form.tsx')).NewTicketForm }));

export function NewTicketModal({ opened, onClose }: Props) {
  return (
    <Modal title="Submit New Ticket" opened={opened} onClose={onClose} size={560}>
      <Suspense fallback={<SkeletonLines lines={6} />}>
        <NewTicketForm onClose={onClose} />
      </Suspense>
    </Modal>
  );
}
