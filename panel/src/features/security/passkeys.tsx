import { useQuery } from '@tanstack/react-query';
import type { Passkey } from 'contract/security-passkeys.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { CodeForm } from './code-form.tsx';
import { passkeysQuery, useRemovePasskey } from './passkeys-api.ts';

const notHere = 'Passkeys need a supported browser and an HTTPS connection.';

/** The rows of the passkeys, and one to add another. */
export function Passkeys({ onAdd }: { onAdd: () => void }) {
  const passkeys = useQuery(passkeysQuery).data?.passkeys ?? [];
  const disabledReason = 'PublicKeyCredential' in window ? undefined : notHere;
  return (
    <>
      {passkeys.map((passkey) => (
        <PasskeyItem key={passkey.id} passkey={passkey} />
      ))}
      <li className="security-row">
        <div>
          <span className="security-name">Passkeys</span>
          <p className="security-facts">
            Sign in with a fingerprint, a face or a security key. You also confirm approvals with it.
          </p>
        </div>
        <Button variant="default" disabledReason={disabledReason} onClick={onAdd}>
          Add passkey
        </Button>
      </li>
    </>
  );
}

function PasskeyItem({ passkey: { id, name, createdAt, lastUsedAt } }: { passkey: Passkey }) {
  const [removing, setRemoving] = useState(false);
  const close = () => setRemoving(false);
  const { mutate, isPending, error } = useRemovePasskey(close);
  return (
    <li className="security-row">
      <div>
        <span className="security-name">{name}</span>
        <p className="security-facts">
          <span>
            Added <Timestamp at={createdAt} />
          </span>
          {lastUsedAt && (
            <span>
              Last used <Timestamp at={lastUsedAt} />
            </span>
          )}
        </p>
      </div>
      <Button variant="default" aria-label={`Remove the passkey ${name}`} onClick={() => setRemoving(true)}>
        Remove
      </Button>
      <Modal title="Remove the passkey" opened={removing} onClose={close}>
        <CodeForm
          button="Remove"
          danger
          description="A code from your authenticator app, or a recovery code."
          waiting={isPending}
          error={error}
          onCode={(code) => mutate({ params: { id }, body: { code } })}
        >
          <p className="security-note">
            You will not be able to sign in or approve with “{name}”. If it is your only passkey and you have no
            authenticator app, your password alone will sign you in. All your other sessions end.
          </p>
        </CodeForm>
      </Modal>
    </li>
  );
}
