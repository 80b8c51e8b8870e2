import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { lazy, Suspense, useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';
import type { Adjusted } from './adjust-form.tsx';
import { useMe } from '#panel/shell/me.ts';

// Loaded on first use, so that the page loads faster.
const AdjustForm = lazy(async () => ({ default: (await import('./adjust-form.tsx')).AdjustForm }));

type Props = { label: string; title: string; adjusted: Adjusted; blocked?: string | undefined };

/** Corrects the balance of a user or of the treasury by a transfer, never by overwriting a figure. */
export function AdjustButton({ label, title, adjusted, blocked }: Props) {
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
        {label}
      </Button>
      <Modal title={title} opened={opened} onClose={close}>
        <Suspense fallback={<SkeletonLines lines={5} />}>
          {ever > 0 && <AdjustForm key={ever} adjusted={adjusted} onDone={close} />}
        </Suspense>
      </Modal>
    </>
  );
}
