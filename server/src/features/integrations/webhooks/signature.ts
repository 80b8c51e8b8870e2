import { createHash, randomBytes } from 'node:crypto';
import type { PlatformEvent as Event } from 'contract/integrations-events.ts';
import { PlatformEvent } from 'contract/integrations-events.ts';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

/** Returns a new secret of 256 bits as Standard Webhooks writes it. */
export const newWebhookSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** Returns the body and headers of a message, signed with each of the secrets that are valid now. */
export function signedMessage(event: Event, { secrets, at }: { secrets: readonly string[]; at: Date }) {
  const body = JSON.stringify(z.encode(PlatformEvent, event));
  const signatures = secrets.map((secret) => new Webhook(secret).sign(event.id, at, body));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Bursar-Webhooks/1',
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signatures.join(' '),
  };
  return { body, headers, digest: createHash('sha256').update(body).digest('hex') };
}
