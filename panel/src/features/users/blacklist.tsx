import type { User } from 'contract/users.ts';
import { lazy, Suspense, useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';

// Loaded on first use, so that the profile loads faster.
const BlacklistForm = lazy(async () => ({ default: (await import('./blacklist-form.tsx')).BlacklistForm }));

export function BlacklistToggle({ user, denied }: { user: User; denied: string | undefined }) {
  // The action when the modal opened, because someone else may change the state in the meantime.
  const [requested, setRequested] = useState<{ blacklisted: boolean }>();
  const [opened, setOpened] = useState(false);
  const open = () => {
    setRequested({ blacklisted: !user.isBlacklisted });
    setOpened(true);
  };
  const close = () => setOpened(false);
  return (
    <>
      <Button variant="default" disabledReason={denied} onClick={open}>
        {user.isBlacklisted ? 'Unblacklist' : 'Blacklist'}
      </Button>
      <Modal title={requested?.blacklisted ? 'Blacklist User' : 'Unblacklist User'} opened={opened} onClose={close}>
        <Suspense fallback={<SkeletonLines lines={4} />}>
          {requested && <BlacklistForm user={user} blacklisted={requested.blacklisted} onClose={close} />}
        </Suspense>
      </Modal>
    </>
  );
}
