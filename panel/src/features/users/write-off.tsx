import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import type { User } from 'contract/users.ts';
import { lazy, Suspense, useState } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';

// Loaded on first use, so that the profile loads faster.
const WriteOffForm = lazy(async () => ({ default: (await import('./write-off-form.tsx')).WriteOffForm }));

/** Shown while the user owes something. */
export function WriteOffButton({ user, blocked }: { user: User; blocked: string | undefined }) {
  const denied = holds(useMe(), 'money.prepare') ? undefined : anyCallRefusals[403].PermissionDenied;
  const [opened, setOpened] = useState(false);
  const [ever, setEver] = useState(0);
  const open = () => {
    setEver(ever + 1);
    setOpened(true);
  };
  const close = () => setOpened(false);
  const owes = user.receivable > 0n || user.receivableGmp > 0n;
  return (
    <>
      {owes && (
        <Button variant="default" disabledReason={denied ?? blocked} onClick={open}>
          Write off
        </Button>
      )}
      <Modal title="Write Off Receivable" opened={opened} onClose={close}>
        <Suspense fallback={<SkeletonLines lines={5} />}>
          {ever > 0 && <WriteOffForm key={ever} user={user} onDone={close} />}
        </Suspense>
      </Modal>
    </>
  );
}
