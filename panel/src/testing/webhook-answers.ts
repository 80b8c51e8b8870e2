import {
  type Attempt,
  type Delivery,
  listDeliveries,
  listWebhooks,
  readDelivery,
  type Webhook,
} from 'contract/integrations-webhooks.ts';
import { type Admin, answerFrame } from './app.ts';
import { freshId, longAgo } from './list-answers.ts';
import { answer } from './server.ts';

export const webhook = (given: Partial<Webhook> = {}): Webhook => ({
  id: freshId(),
  url: 'https://platform.example.com/hooks/bursar',
  description: 'Platform',
  types: null,
  state: 'active',
  pausedReason: null,
  failingSince: null,
  createdBy: 'ines.moreau',
  createdAt: longAgo,
  rotatingUntil: null,
  pending: 0,
  failed: 0,
  version: 1,
  ...given,
});

let lastSeq = 100n;

export function delivery(given: Partial<Delivery> = {}): Delivery {
  lastSeq += 1n;
  return {
    id: freshId(),
    seq: lastSeq,
    eventId: freshId(),
    type: 'withdrawal.approved',
    subjectId: freshId(),
    state: 'delivered',
    attempts: 1,
    dueAt: null,
    eventAt: longAgo,
    lastStatus: 204,
    lastError: null,
    ...given,
  };
}

export const attempt = (given: Partial<Attempt> = {}): Attempt => ({
  no: 1,
  at: longAgo,
  durationMs: 87,
  requestHeaders: { 'webhook-id': freshId(), 'webhook-timestamp': '1793527200', 'webhook-signature': 'v1,c2lnbmVk' },
  bodyDigest: 'ab'.repeat(32),
  status: 204,
  answer: '',
  error: null,
  ...given,
});

type Rows = { webhooks?: readonly Webhook[]; deliveries?: readonly Delivery[]; attempts?: readonly Attempt[] };

export function answerWebhooks({ webhooks = [], deliveries = [], attempts = [] }: Rows, admin?: Admin) {
  answerFrame(admin);
  answer(listWebhooks, () => ({ webhooks: [...webhooks] }));
  answer(listDeliveries, ({ querystring: { state } }) => ({
    deliveries: deliveries.filter((one) => state === undefined || one.state === state),
    olderThan: null,
  }));
  answer(readDelivery, ({ params }) => {
    const found = deliveries.find(({ id }) => id === params.id) ?? delivery({ id: params.id });
    const { eventId: id, seq, type, subjectId, eventAt: timestamp } = found;
    const event = { id, seq, type, subjectId, timestamp, data: { amount: '12.50', asset: 'USD' } };
    return { delivery: found, event, attempts: [...attempts] };
  });
}
