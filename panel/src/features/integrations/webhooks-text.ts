import type { AttemptError, Delivery, DeliveryState, Webhook } from 'contract/integrations-webhooks.ts';
import type { Tone } from '#panel/ui/status.tsx';

export const deliveryNames: Record<DeliveryState, string> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
};

export const deliveryTones: Record<DeliveryState, Tone> = { pending: 'waiting', delivered: 'good', failed: 'bad' };

const errorTexts: Record<Exclude<AttemptError, 'status'>, string> = {
  'address-refused': 'The address is private or reserved',
  'name-not-found': 'The host name was not found',
  'connection-failed': 'The connection failed',
  'certificate-invalid': 'The certificate is not valid',
  'timed-out': 'No complete response within 5 seconds',
  redirected: 'Redirects are not followed',
};

/** Returns what came back: "204", "500", "No complete response within 5 seconds". */
export function formatAnswer(error: AttemptError | null, status: number | null) {
  if (error === null || error === 'status') return status === null ? 'Not sent yet' : `HTTP ${status}`;
  return error === 'redirected' && status !== null ? `HTTP ${status}. ${errorTexts[error]}` : errorTexts[error];
}

export const formatLastAnswer = ({ lastError, lastStatus }: Delivery) => formatAnswer(lastError, lastStatus);

type Shown = { tone: Tone; text: string };

export function webhookStatus({ state, pausedReason, failingSince }: Webhook): Shown {
  if (state === 'paused')
    return pausedReason === 'failing' ? { tone: 'bad', text: 'Paused: failing' } : { tone: 'quiet', text: 'Paused' };
  return failingSince ? { tone: 'waiting', text: 'Failing' } : { tone: 'good', text: 'Active' };
}

export const formatTypes = ({ types }: Pick<Webhook, 'types'>) =>
  types === null ? 'All events' : types.length === 1 ? types.join() : `${types.length} event types`;
