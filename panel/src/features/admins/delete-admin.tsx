import type { Admin } from 'contract/admins.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { Modal, ModalActions } from '#panel/ui/modal.tsx';
import { useDeleteAdmin } from './api.ts';

type Props = { admin: Admin | undefined; onClose: () => void };

export function DeleteAdminModal({ admin, onClose }: Props) {
  const deleting = useDeleteAdmin({ onSettled: onClose });
  // The closing animation takes 300 ms and still shows the administrator's name.
  const [last, setLast] = useState(admin);
  if (admin && admin !== last) setLast(admin);
  const username = last?.username ?? '';
  return (
    <Modal title="Confirm Deletion" opened={admin !== undefined} onClose={onClose}>
      <p className="admin-question">Are you sure you want to delete {username}?</p>
      <p className="admin-consequence">
        Their sessions end immediately and they can no longer sign in. Their actions stay in the audit log.
      </p>
      <ModalActions waiting={deleting.isPending}>
        <Button
          color="red"
          loading={deleting.isPending}
          onClick={() => !deleting.isPending && deleting.mutate({ body: { username } })}
        >
          Delete
        </Button>
      </ModalActions>
    </Modal>
  );
}
