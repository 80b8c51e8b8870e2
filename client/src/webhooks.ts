import { Webhook } from 'standardwebhooks';
import type { PlatformEvent } from './events.ts';

/** A message that Bursar did not send, that is too old or too new, or that was received before. */
export class WebhookRefused extends Error {
  override name = 'WebhookRefused';
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `standardwebhooks` refuses a timestamp that is off by more than this, so older messages need not be remembered. */
const toleranceMs = 5 * 60_000;

/**
 * Returns a function that verifies a message and returns its event. It throws a `WebhookRefused` if no secret has signed
 * exactly this body, if the timestamp is more than five minutes off, or if this process received the same message
 * before. Bursar signs every attempt with a new timestamp, so its own retries pass, with the id of the event unchanged.
 */
export function createVerifier({ secrets }: { secrets: readonly string[] }) {
  const webhooks = secrets.map((secret) => new Webhook(secret));
  const received = new Map<string, number>();

  return (body: string, headers: Headers): PlatformEvent => {
    const event = verify(webhooks, body, headers);
    const now = Date.now();
    for (const [message, at] of received) {
      if (now - at < 2 * toleranceMs) break;
      received.delete(message);
    }
    const message = `${one(headers, 'webhook-id')} ${one(headers, 'webhook-timestamp')}`;
    if (received.has(message)) throw new WebhookRefused('This message was received before.');
    received.set(message, now);
    return event;
  };
}

function verify(webhooks: readonly Webhook[], body: string, headers: Headers) {
  const signed = {
    'webhook-id': one(headers, 'webhook-id'),
    'webhook-timestamp': one(headers, 'webhook-timestamp'),
    'webhook-signature': one(headers, 'webhook-signature'),
  };
  let reason: unknown;
  for (const webhook of webhooks) {
    try {
      return webhook.verify(body, signed) as PlatformEvent;
    } catch (error) {
      reason = error;
    }
  }
  throw new WebhookRefused('The signature or the time of this message is wrong.', { cause: reason });
}

const one = (headers: Headers, name: string) => String(headers[name] ?? '');
