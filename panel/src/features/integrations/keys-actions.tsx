import { NativeSelect } from '@mantine/core';
import { movesMoney } from 'contract/core/scopes.ts';
import { type ApiKey, rotateApiKey } from 'contract/integrations-keys.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { Modal, ModalActions } from '#panel/ui/modal.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { useWriteDenied } from './change.ts';
import { useRevokeKey, useRotateKey } from './keys-api.ts';
import { NewSecret } from './keys-form.tsx';

const titles = { rotate: 'Rotate API key', revoke: 'Revoke API key' };
type Action = keyof typeof titles;
const conflicts = rotateApiKey.refusals[409];

function rotateDenied({ state, secrets }: ApiKey) {
  if (state === 'revoked') return conflicts.KeyRevoked;
  if (state === 'expired') return conflicts.KeyExpired;
  return secrets.some((secret) => secret.state === 'waiting') ? conflicts.RotationWaiting : undefined;
}

export function KeyActions({ apiKey }: { apiKey: ApiKey }) {
  const denied = useWriteDenied();
  const [action, setAction] = useState<Action>();
  // The title stays while the modal closes.
  const [last, setLast] = useState<Action>('rotate');
  const start = (next: Action) => {
    setLast(next);
    setAction(next);
  };
  const close = () => setAction(undefined);
  const isRevoked = apiKey.state === 'revoked' ? conflicts.KeyRevoked : undefined;
  return (
    <div className="integration-actions">
      <Button variant="default" disabledReason={denied ?? rotateDenied(apiKey)} onClick={() => start('rotate')}>
        Rotate
      </Button>
      <Button variant="default" disabledReason={denied ?? isRevoked} onClick={() => start('revoke')}>
        Revoke
      </Button>
      <Modal title={titles[action ?? last]} opened={action !== undefined} onClose={close}>
        {(action ?? last) === 'rotate' ? (
          <Rotate apiKey={apiKey} onClose={close} />
        ) : (
          <Revoke apiKey={apiKey} onClose={close} />
        )}
      </Modal>
    </div>
  );
}

type Props = { apiKey: ApiKey; onClose: () => void };

const overlaps = [
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
  { value: '0', label: '0 hours (revoke immediately)' },
];

function Rotate({ apiKey, onClose }: Props) {
  const [created, setCreated] = useState<{ key: ApiKey; secret: string }>();
  const [hours, setHours] = useState('24');
  const { mutate, isPending, error } = useRotateKey({ onSuccess: setCreated });
  if (created) return <NewSecret created={created} onClose={onClose} />;
  return (
    <div className="form">
      <NativeSelect
        label="The current secret stays valid for"
        description="Gives the platform time to switch. Starts when the new secret becomes active."
        data={overlaps}
        value={hours}
        onChange={({ currentTarget }) => setHours(currentTarget.value)}
      />
      {movesMoney(apiKey.scopes) && (
        <Notice tone="waiting">
          This key moves money, so another Super Admin must approve the new secret. The current one works until then.
        </Notice>
      )}
      {error && (
        <Notice tone="bad" reference={error.reference}>
          {error.message}
        </Notice>
      )}
      <ModalActions waiting={isPending}>
        <Button
          loading={isPending}
          onClick={() => mutate({ params: { id: apiKey.id }, body: { hours: Number(hours) } })}
        >
          Create new secret
        </Button>
      </ModalActions>
    </div>
  );
}

function Revoke({ apiKey, onClose }: Props) {
  const { mutate, isPending } = useRevokeKey({ onSuccess: onClose });
  return (
    <>
      <p className="integration-question">Revoke “{apiKey.name}”?</p>
      <p className="integration-note">Calls with it fail immediately. This can't be undone.</p>
      <ModalActions waiting={isPending}>
        <Button color="red" loading={isPending} onClick={() => mutate({ params: { id: apiKey.id } })}>
          Revoke
        </Button>
      </ModalActions>
    </>
  );
}
