import { testWebhook, type Webhook } from 'contract/integrations-webhooks.ts';
import { useState } from 'react';
import { useChangeView } from '#panel/domain/change-view.ts';
import { Button } from '#panel/ui/button.tsx';
import { Modal, ModalActions } from '#panel/ui/modal.tsx';
import { useWriteDenied } from './change.ts';
import { closedWebhook } from './search.ts';
import { useRemoveWebhook, useRotateSecret, useSetWebhookState, useTestWebhook } from './webhooks-api.ts';
import { WebhookForm } from './webhooks-form.tsx';
import { ReplayForm } from './webhooks-replay.tsx';
import { WebhookSecret } from './webhooks-secret.tsx';

const titles = { edit: 'Edit webhook', rotate: 'Rotate secret', replay: 'Replay events', remove: 'Remove webhook' };
type Action = keyof typeof titles;

export const pausedReason = ({ state }: Webhook) =>
  state === 'paused' ? testWebhook.refusals[409].WebhookPaused : undefined;

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const denied = useWriteDenied();
  const [action, setAction] = useState<Action>();
  // The title stays while the modal closes.
  const [last, setLast] = useState<Action>('edit');
  const start = (next: Action) => {
    setLast(next);
    setAction(next);
  };
  const close = () => setAction(undefined);
  const testing = useTestWebhook();
  const pausing = useSetWebhookState();
  const params = { id: webhook.id };
  const inactive = denied ?? pausedReason(webhook);
  const isPaused = webhook.state === 'paused';
  return (
    <div className="integration-actions">
      <Button
        variant={isPaused ? 'filled' : 'default'}
        disabledReason={denied}
        loading={pausing.isPending}
        onClick={() => pausing.mutate({ params, body: { state: isPaused ? 'active' : 'paused' } })}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Button
        variant="default"
        disabledReason={inactive}
        loading={testing.isPending}
        onClick={() => testing.mutate({ params })}
      >
        Send test event
      </Button>
      <Button variant="default" disabledReason={inactive} onClick={() => start('replay')}>
        Replay
      </Button>
      <Button variant="default" disabledReason={denied} onClick={() => start('edit')}>
        Edit
      </Button>
      <Button variant="default" disabledReason={denied} onClick={() => start('rotate')}>
        Rotate secret
      </Button>
      <Button variant="default" disabledReason={denied} onClick={() => start('remove')}>
        Remove
      </Button>
      <Modal title={titles[action ?? last]} opened={action !== undefined} onClose={close}>
        <Content action={action ?? last} webhook={webhook} onClose={close} />
      </Modal>
    </div>
  );
}

type ContentProps = { webhook: Webhook; onClose: () => void };

function Content({ action, ...props }: ContentProps & { action: Action }) {
  if (action === 'edit') return <WebhookForm {...props} />;
  if (action === 'rotate') return <Rotate {...props} />;
  return action === 'replay' ? <ReplayForm {...props} /> : <Remove {...props} />;
}

function Rotate({ webhook, onClose }: ContentProps) {
  const [secret, setSecret] = useState<string>();
  const rotating = useRotateSecret({ onSuccess: (answer) => setSecret(answer.secret) });
  if (secret !== undefined) {
    const note = 'The old secret stays valid for 24 hours, and events are signed with both.';
    return <WebhookSecret secret={secret} note={note} onClose={onClose} />;
  }
  return (
    <>
      <p className="integration-question">Create a new signing secret?</p>
      <p className="integration-note">
        The current secret stays valid for 24 hours, and events are signed with both until then.
        {webhook.rotatingUntil && ' The previous secret stops working immediately.'}
      </p>
      <ModalActions waiting={rotating.isPending}>
        <Button loading={rotating.isPending} onClick={() => rotating.mutate({ params: { id: webhook.id } })}>
          Rotate secret
        </Button>
      </ModalActions>
    </>
  );
}

function Remove({ webhook, onClose }: ContentProps) {
  const change = useChangeView();
  const removing = useRemoveWebhook({
    onSuccess: () => {
      onClose();
      change({ ...closedWebhook, tab: 'webhooks' }, { replace: true });
    },
  });
  return (
    <>
      <p className="integration-question">Stop sending events to {webhook.url}?</p>
      <p className="integration-note">
        Pending events are not sent. To stop for a while and continue where you left off, pause the webhook instead.
      </p>
      <ModalActions waiting={removing.isPending}>
        <Button
          color="red"
          loading={removing.isPending}
          onClick={() => removing.mutate({ params: { id: webhook.id } })}
        >
          Remove
        </Button>
      </ModalActions>
    </>
  );
}
