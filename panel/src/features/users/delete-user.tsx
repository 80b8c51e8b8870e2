import type { UserRow } from 'contract/users.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { Modal, ModalActions } from '#panel/ui/modal.tsx';
import { useDeleteUser } from './api.ts';

type Props = { user: UserRow | undefined; onClose: () => void };

export function DeleteUserModal({ user, onClose }: Props) {
  const deleting = useDeleteUser({ onSettled: onClose });
  // The closing animation takes 300 ms and still shows the user's name.
  const [last, setLast] = useState(user);
  if (user && user !== last) setLast(user);
  return (
    <Modal title="Delete User" opened={user !== undefined} onClose={onClose}>
      <p className="user-question">Are you sure you want to delete this user?</p>
      <p className="user-subject">
        {last?.username} <span className="user-id">{last?.userId}</span>
      </p>
      <p className="user-quiet">The user is removed from lists. Balances and history are kept.</p>
      <ModalActions waiting={deleting.isPending}>
        <Button
          color="red"
          loading={deleting.isPending}
          onClick={() => last && !deleting.isPending && deleting.mutate({ params: { id: last.id } })}
        >
          Delete
        </Button>
      </ModalActions>
    </Modal>
  );
}
