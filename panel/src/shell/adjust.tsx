import { anyCallRefusals } from 'contract/endpoint.ts';
import { holds } from 'contract/permissions.ts';
import type { User } from 'contract/users.ts';
import { lazy, Suspense, useState } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';

// Fetched when it is first wanted: the profile is quicker without it.
const AdjustForm = lazy(async () => ({ default: (await import('./adjust-form.tsx')).AdjustForm }));

/** Corrects what the person has: by a transfer, never by typing over a figure. */
export function AdjustButton({ user, blocked }: { user: User; blocked: string | undefined }) {
  const denied = holds(useMe(), 'money.prepare') ? undefined : anyCallRefusals[403].PermissionDenied;
  const [opened, setOpened] = useState(false);
  const [ever, setEver] = useState(0);
  const open = () => {
    setEver(ever + 1);
    setOpened(true);
  };
  const close = () => setOpened(false);
  return (
    <>
      <Button variant="default" disabledReason={denied ?? blocked} onClick={open}>
        Adjust
      </Button>
      <Modal title="Adjust Balance" opened={opened} onClose={close}>
        <Suspense fallback={<SkeletonLines lines={5} />}>
          {ever > 0 && <AdjustForm key={ever} user={user} onDone={close} />}
        </Suspense>
      </Modal>
    </>
  );
}
