import type { User } from 'contract/users.ts';
import { lazy, Suspense, useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';

// Fetched when it is first wanted: the profile is quicker without it.
const BlacklistForm = lazy(async () => ({ default: (await import('./blacklist-form.tsx')).BlacklistForm }));

export function BlacklistToggle({ user, denied }: { user: User; denied: string | undefined }) {
  // What was wanted when the modal opened: somebody else may turn the state meanwhile.
  const [wanted, setWanted] = useState<{ blacklisted: boolean }>();
  const [opened, setOpened] = useState(false);
  const ask = () => {
    setWanted({ blacklisted: !user.isBlacklisted });
    setOpened(true);
  };
  const close = () => setOpened(false);
  return (
    <>
      <Button variant="default" disabledReason={denied} onClick={ask}>
        {user.isBlacklisted ? 'Unblacklist' : 'Blacklist'}
      </Button>
      <Modal title={wanted?.blacklisted ? 'Blacklist User' : 'Unblacklist User'} opened={opened} onClose={close}>
        <Suspense fallback={<SkeletonLines lines={4} />}>
          {wanted && <BlacklistForm user={user} blacklisted={wanted.blacklisted} onClose={close} />}
        </Suspense>
      </Modal>
    </>
  );
}
