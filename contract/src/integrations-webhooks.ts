import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { EventSeq, PlatformEvent, SubscribedType } from './integrations-events.ts';

/** The delay before each further attempt, in seconds. After the last one a delivery has failed. */
export const retryDelays = [5, 30, 120, 600, 3_600, 3 * 3_600, 8 * 3_600, 24 * 3_600] as const;

/** Without any success for this time, a webhook is paused. */
export const failingHours = 24;

/** How long the replaced secret stays valid. */
export const rotationHours = 24;

export const webhooksAtMost = 20;

/** An answer is stored up to this length. */
export const answerStored = 2_048;

export type WebhookState = z.output<typeof WebhookState>;
export const WebhookState = z.enum(['active', 'paused']);

const PausedReason = z.enum(['manual', 'failing']);

export type Webhook = z.output<typeof Webhook>;
export const Webhook = z.object({
  id: z.uuid(),
  url: z.string(),
  description: z.string(),
  /** Null if it receives all types, also those of later versions. */
  types: z.array(z.string()).nullable(),
  state: WebhookState,
  pausedReason: PausedReason.nullable(),
  failingSince: Timestamp.nullable(),
  createdBy: z.string(),
  createdAt: Timestamp,
  /** When the replaced secret stops being valid. Null if there is only one. */
  rotatingUntil: Timestamp.nullable(),
  pending: z.int(),
  failed: z.int(),
  version: z.int(),
});

/** The secret as receivers configure it. It is answered once and never again. */
const Secret = z.string();

export type DeliveryState = z.output<typeof DeliveryState>;
export const DeliveryState = z.enum(['pending', 'delivered', 'failed']);

/** Why there was no answer, or why it does not count as received. */
export type AttemptError = z.output<typeof AttemptError>;
export const AttemptError = z.enum([
  'address-refused',
  'name-not-found',
  'connection-failed',
  'certificate-invalid',
  'timed-out',
  'redirected',
  'status',
]);

export type Attempt = z.output<typeof Attempt>;
export const Attempt = z.object({
  no: z.int(),
  at: Timestamp,
  durationMs: z.int(),
  requestHeaders: z.record(z.string(), z.string()),
  /** SHA-256 of the body. */
  bodyDigest: z.string(),
  status: z.int().nullable(),
  answer: z.string().nullable(),
  /** Null if the event was received. */
  error: AttemptError.nullable(),
});

export type Delivery = z.output<typeof Delivery>;
export const Delivery = z.object({
  id: z.uuid(),
  seq: EventSeq,
  eventId: z.uuid(),
  type: z.string(),
  subjectId: z.string(),
  state: DeliveryState,
  attempts: z.int(),
  /** The next attempt. Null if there is none, or if an earlier event of the subject has to be delivered first. */
  dueAt: Timestamp.nullable(),
  eventAt: Timestamp,
  lastStatus: z.int().nullable(),
  lastError: AttemptError.nullable(),
});

const WebhookNotFound = 'This webhook no longer exists.';
const WebhookConflict = 'Someone else has just changed this webhook. Check the values and save again.';
const WebhookPaused = 'This webhook is paused. Resume it first.';
const WebhookId = z.strictObject({ id: z.uuid() });

/** Why a URL is not called, by code. */
const targetRefusals = {
  WebhookNotHttps: 'Enter a URL that starts with https://.',
  WebhookHasCredentials: 'The URL must not contain a username or password.',
  WebhookTargetPrivate: 'This URL leads to a private or reserved address. Webhooks are sent to public addresses only.',
} as const;
export type TargetRefusal = keyof typeof targetRefusals;

const fields = {
  url: z.url().max(2_000),
  description: z.string().trim().max(200),
  types: z.array(SubscribedType).min(1).max(SubscribedType.options.length).nullable(),
};

export const listWebhooks = endpoint({
  feature: 'integrations',
  method: 'GET',
  url: '/api/integrations/webhooks',
  access: 'audit.read',
  summary: 'List the webhooks, oldest first',
  answer: z.object({ webhooks: z.array(Webhook) }),
  refusals: {},
});

export const createWebhook = endpoint({
  feature: 'integrations',
  method: 'POST',
  url: '/api/integrations/webhooks',
  access: 'integrations.write',
  stepUp: true,
  summary: 'Add a webhook, which receives the events from now on; its secret is shown once',
  body: z.strictObject(fields),
  answer: z.object({ webhook: Webhook, secret: Secret }),
  refusals: {
    409: { TooManyWebhooks: `There are ${webhooksAtMost} webhooks already. Remove one first.` },
    422: targetRefusals,
  },
});

export const updateWebhook = endpoint({
  feature: 'integrations',
  method: 'PATCH',
  url: '/api/integrations/webhooks/:id',
  access: 'integrations.write',
  stepUp: true,
  summary: 'Change where a webhook sends, and what',
  params: WebhookId,
  body: z.strictObject({ ...fields, version: z.int() }),
  answer: z.object({ webhook: Webhook }),
  refusals: { 404: { WebhookNotFound }, 409: { WebhookConflict }, 422: targetRefusals },
});

export const setWebhookState = endpoint({
  feature: 'integrations',
  method: 'POST',
  url: '/api/integrations/webhooks/:id/state',
  access: 'integrations.write',
  summary: 'Pause a webhook or resume it where it stopped; repeating the call changes nothing',
  params: WebhookId,
  body: z.strictObject({ state: WebhookState }),
  answer: z.object({ webhook: Webhook }),
  refusals: { 404: { WebhookNotFound } },
});

export const removeWebhook = endpoint({
  feature: 'integrations',
  method: 'POST',
  url: '/api/integrations/webhooks/:id/remove',
  access: 'integrations.write',
  summary: 'Remove a webhook; what it has not received is not sent anymore',
  params: WebhookId,
  answer: z.object({}),
  refusals: { 404: { WebhookNotFound } },
});

export const rotateWebhookSecret = endpoint({
  feature: 'integrations',
  method: 'POST',
  url: '/api/integrations/webhooks/:id/rotate',
  access: 'integrations.write',
  stepUp: true,
  summary: 'Replace the secret; the replaced one stays valid for a day, and any older one ends',
  params: WebhookId,
  answer: z.object({ webhook: Webhook, secret: Secret }),
  refusals: { 404: { WebhookNotFound } },
});

export const testWebhook = endpoint({
  feature: 'integrations',
  method: 'POST',
  url: '/api/integrations/webhooks/:id/test',
  access: 'integrations.write',
  summary: 'Send a test event to one webhook',
  params: WebhookId,
  answer: z.object({}),
  refusals: { 404: { WebhookNotFound }, 409: { WebhookPaused } },
});

export const replayWebhook = endpoint({
  feature: 'integrations',
  method: 'POST',
  url: '/api/integrations/webhooks/:id/replay',
  access: 'integrations.write',
  stepUp: true,
  summary: 'Send all events from an event or a time on once more, in order',
  params: WebhookId,
  body: z.strictObject({
    /** Either the number of the first event, or a time. */
    from: z.union([z.strictObject({ seq: EventSeq }), z.strictObject({ time: Timestamp })]),
  }),
  answer: z.object({ from: EventSeq }),
  refusals: {
    404: { WebhookNotFound },
    409: { WebhookPaused },
    422: { NothingToReplay: 'There are no events from this point on.' },
  },
});

export const listDeliveries = endpoint({
  feature: 'integrations',
  method: 'GET',
  url: '/api/integrations/webhooks/:id/deliveries',
  access: 'audit.read',
  summary: 'List the deliveries of a webhook, newest first',
  params: WebhookId,
  querystring: z.strictObject({ state: DeliveryState.optional(), before: EventSeq.optional() }),
  answer: z.object({
    deliveries: z.array(Delivery),
    /** Pass it as `before` to get the next older ones. */
    olderThan: EventSeq.nullable(),
  }),
  refusals: { 404: { WebhookNotFound } },
});

const DeliveryNotFound = 'This delivery no longer exists.';

export const readDelivery = endpoint({
  feature: 'integrations',
  method: 'GET',
  url: '/api/integrations/deliveries/:id',
  access: 'audit.read',
  summary: 'Read a delivery with its event and every attempt, newest first',
  params: z.strictObject({ id: z.uuid() }),
  answer: z.object({ delivery: Delivery, event: PlatformEvent, attempts: z.array(Attempt) }),
  refusals: { 404: { DeliveryNotFound } },
});

export const retryDelivery = endpoint({
  feature: 'integrations',
  method: 'POST',
  url: '/api/integrations/deliveries/:id/retry',
  access: 'integrations.write',
  summary: 'Send one event again now',
  params: z.strictObject({ id: z.uuid() }),
  answer: z.object({ delivery: Delivery }),
  refusals: { 404: { DeliveryNotFound }, 409: { WebhookPaused } },
});
