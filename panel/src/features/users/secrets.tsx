import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import type { User } from 'contract/users.ts';
import type { KeyReveal } from 'contract/users-secrets.ts';
import { lazy, Suspense, useState } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { keyRevealQuery } from './secrets-api.ts';

// Loaded on first use, so that the profile loads faster.
const RequestKey = lazy(async () => ({ default: (await import('./secrets-forms.tsx')).RequestKey }));
const ResetPassword = lazy(async () => ({ default: (await import('./secrets-forms.tsx')).ResetPassword }));
const OpenKey = lazy(async () => ({ default: (await import('./secrets-open.tsx')).OpenKey }));

/** What the open modal does. The modals are not inside the form of the profile, which would submit with them. */
type SecretAction = { action: 'request' | 'reset' } | { action: 'open'; reveal: KeyReveal };
export type OpenModal = (action: SecretAction) => void;

const titles = { request: 'Reveal Private Key', open: 'Private Key', reset: 'Reset Password' };

/** Returns what opens the modals, and the modals. */
export function useSecretModals(user: User) {
  const [current, setCurrent] = useState<SecretAction>();
  const [opened, setOpened] = useState(false);
  const [times, setTimes] = useState(0);
  const openModal: OpenModal = (next) => {
    setCurrent(next);
    setTimes(times + 1);
    setOpened(true);
  };
  const close = () => setOpened(false);
  const modals = (
    <Modal
      title={titles[current?.action ?? 'request']}
      opened={opened}
      onClose={close}
      onExitTransitionEnd={() => setCurrent(undefined)}
    >
      <Suspense fallback={<SkeletonLines lines={5} />}>
        {current?.action === 'request' && <RequestKey key={times} user={user} onDone={close} />}
        {current?.action === 'reset' && <ResetPassword key={times} user={user} onDone={close} />}
        {current?.action === 'open' && <OpenKey key={times} user={user} reveal={current.reveal} onDone={close} />}
      </Suspense>
    </Modal>
  );
  return { openModal, modals };
}

type Props = { user: User; openModal: OpenModal; disabledReason: string | undefined };

const denied = anyCallRefusals[403].PermissionDenied;

export function PrivateKey({ user, openModal, disabledReason }: Props) {
  const allowed = holds(useMe(), 'secrets.reveal');
  if (user.solPrivateKey === 'none') return 'none';
  return (
    <span className="user-secret">
      <span>
        <span className="user-masked" aria-hidden>
          ••••••••
        </span>{' '}
        Stored
      </span>
      {allowed ? (
        <KeyAction user={user} openModal={openModal} disabledReason={disabledReason} />
      ) : (
        <SmallButton label="Reveal" name="Reveal private key" disabledReason={denied} />
      )}
    </span>
  );
}

function KeyAction({ user, openModal, disabledReason }: Props) {
  const { data } = useQuery(keyRevealQuery(user.id));
  const reveal = data?.reveal;
  if (reveal?.state === 'waiting') {
    return (
      <Link to="/dashboard/approvals" search={{ approval: reveal.approval }} className="user-link">
        Awaiting approval
      </Link>
    );
  }
  if (reveal) {
    const open = () => openModal({ action: 'open', reveal });
    return <SmallButton label="Open" name="Open private key" disabledReason={disabledReason} onClick={open} />;
  }
  const request = () => openModal({ action: 'request' });
  return <SmallButton label="Reveal" name="Reveal private key" disabledReason={disabledReason} onClick={request} />;
}

export function Password({ user, openModal, disabledReason }: Props) {
  const allowed = holds(useMe(), 'users.write');
  return (
    <span className="user-secret">
      <span>{passwordText(user)}</span>
      <SmallButton
        label="Reset"
        name="Reset password"
        disabledReason={allowed ? disabledReason : denied}
        onClick={() => openModal({ action: 'reset' })}
      />
    </span>
  );
}

function passwordText({ password, passwordResetAt }: User) {
  if (password === 'set') return 'Stored';
  if (!passwordResetAt) return 'none';
  return (
    <>
      Reset <Timestamp at={passwordResetAt} />
    </>
  );
}

type SmallButtonProps = { label: string; name: string; disabledReason?: string | undefined; onClick?: () => void };

const SmallButton = ({ label, name, ...rest }: SmallButtonProps) => (
  <Button variant="default" size="compact-sm" aria-label={name} {...rest}>
    {label}
  </Button>
);
