import { lazy, Suspense } from 'react';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';

type Props = { opened: boolean; onClose: () => void };

// Loaded on first use, so that the list loads faster.
const AddAdminForm = lazy(async () => ({ default: (await import('./add-admin-form.tsx')).AddAdminForm }));

export function AddAdminModal({ opened, onClose }: Props) {
  return (
    <Modal title="Add New Admin" opened={opened} onClose={onClose}>
      <Suspense fallback={<SkeletonLines lines={8} />}>
        <AddAdminForm onClose={onClose} />
      </Suspense>
    </Modal>
  );
}
