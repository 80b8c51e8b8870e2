import { SecretOnce } from './secret-once.tsx';

export function WebhookSecret({ secret, note, onClose }: { secret: string; note?: string; onClose: () => void }) {
  return (
    <SecretOnce title="Copy the signing secret now. It won't be shown again." secret={secret} onClose={onClose}>
      Your server needs it to verify that an event was sent by Bursar and not altered. {note}
    </SecretOnce>
  );
}
