import type { User } from 'contract/users.ts';
import type { KeyReveal } from 'contract/users-secrets.ts';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { CopyButton } from '#panel/ui/copy-button.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { useOpenKey } from './secrets-api.ts';

const shownMs = 60_000;

type Props = { user: User; reveal: KeyReveal; onDone: () => void };

/** Opens the key on request, shows it for a minute and then forgets it. It cannot be opened again. */
export function OpenKey({ user, reveal, onDone }: Props) {
  const { mutate, data, error, isPending, reset } = useOpenKey();
  const [isMasked, setMasked] = useState(false);
  const privateKey = data?.privateKey;
  useEffect(() => {
    if (privateKey === undefined) return undefined;
    const mask = () => {
      setMasked(true);
      reset();
    };
    const timer = setTimeout(mask, shownMs);
    return () => clearTimeout(timer);
  }, [privateKey, reset]);
  if (isMasked) return <Masked user={user} onDone={onDone} />;
  if (privateKey !== undefined) return <Shown user={user} privateKey={privateKey} onDone={onDone} />;
  return (
    <div className="form">
      <Subject user={user} />
      <p className="user-quiet">
        Reason: {reveal.reason}. The key is shown once, for a minute. All Super Admins are notified that you opened it.
      </p>
      {error && (
        <Notice tone="bad" reference={error.reference}>
          {error.message}
        </Notice>
      )}
      <ModalActions waiting={isPending}>
        <Button loading={isPending} onClick={() => mutate({ params: { id: reveal.id } })}>
          Show key
        </Button>
      </ModalActions>
    </div>
  );
}

const Subject = ({ user }: { user: User }) => (
  <p className="user-subject">
    {user.username} <span className="user-id">{user.userId}</span>
  </p>
);

type ShownProps = Pick<Props, 'user' | 'onDone'> & { privateKey: string };

const Shown = ({ user, privateKey, onDone }: ShownProps) => (
  <Result user={user} onDone={onDone} title="This key is hidden after a minute and cannot be opened again.">
    <code className="user-key">{privateKey}</code>
    <CopyButton label="Copy key" text={() => privateKey} />
  </Result>
);

const Masked = ({ user, onDone }: Pick<Props, 'user' | 'onDone'>) => (
  <Result user={user} onDone={onDone} title="The key is hidden. Request it again if you still need it.">
    <code className="user-key" aria-hidden>
      ••••••••••••••••
    </code>
  </Result>
);

type ResultProps = Pick<Props, 'user' | 'onDone'> & { title: string; children: ReactNode };

const Result = ({ user, title, children, onDone }: ResultProps) => (
  <div className="form">
    <Subject user={user} />
    <Notice tone="waiting">{title}</Notice>
    <div className="user-key-box">{children}</div>
    <div className="overlay-actions">
      <Button data-autofocus onClick={onDone}>
        Done
      </Button>
    </div>
  </div>
);
