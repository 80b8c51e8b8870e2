import type { Admin } from 'contract/admins.ts';
import { holds } from 'contract/core/permissions.ts';
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
        {last &&
          holds(last, 'money.approve') &&
          'If they can approve requests now, another Super Admin must approve the deletion first. '}
        Their sessions end and they can no longer sign in. Their actions stay in the audit log.
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
