import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import type { Database, Tx } from '#server/core/db/db.ts';
import { recordEvent } from '#server/core/outbox/outbox.ts';
import { dispatchEvents } from '#server/features/integrations/webhooks/dispatch.ts';
import { sendDue } from '#server/features/integrations/webhooks/send.ts';
import { openSender } from '#server/features/integrations/webhooks/sender.ts';
import { testEnvironment } from './environment.ts';
import type { Received } from './receiver.ts';
import { addAdmin } from './server.ts';

const never = new AbortController().signal;

/** The sending of webhooks without its queue: the test triggers each step. */
export function webhooksOf({ worker }: { worker: Database }, { secretsKey }: { secretsKey: Buffer }) {
  const deps = { database: worker, sender: openSender({ targets: 'local' }), secretsKey };
  const enqueued = new Set<string>();
  const enqueue = async (_tx: unknown, _task: string, id: string) => void enqueued.add(id);
  const dispatch = () => dispatchEvents({ database: worker, enqueue }, never);
  return {
    dispatch,
    send: (id: string) => sendDue(deps, id, never),
    /** Dispatches new events and sends what is due, until nothing is. */
    work: async () => {
      for (;;) {
        await dispatch();
        if (enqueued.size === 0) return;
        const ids = [...enqueued];
        enqueued.clear();
        for (const id of ids) await sendDue(deps, id, never);
      }
    },
  };
}

type Hook = { id: string; state: string; pausedReason: string | null; pending: number; failed: number };
type Delivery = { id: string; seq: string; state: string; attempts: number; subjectId: string; lastStatus: number };

/** An environment in which a SuperAdmin manages webhooks, and a test triggers their sending. */
export async function webhookEnvironment() {
  const { db, server } = await testEnvironment({ BURSAR_WEBHOOK_TARGETS: 'local' });
  await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
  const token = await server.signIn('root');

  const post = (path: string, body?: object) => server.call('POST', `/api/integrations${path}`, { token, body });
  const get = async (path: string) => (await server.call('GET', `/api/integrations${path}`, { token })).json;

  async function addWebhook(url: string, types: string[] | null = null) {
    const { status, json } = await post('/webhooks', { url, description: 'Test', types });
    if (status !== 200) throw new Error(`The webhook was refused: ${JSON.stringify(json)}`);
    return { id: (json['webhook'] as Hook).id, secret: String(json['secret']) };
  }

  const readWebhook = async (id: string) =>
    ((await get('/webhooks')) as { webhooks: Hook[] }).webhooks.find((webhook) => webhook.id === id);
  const deliveries = async (id: string, query = '') =>
    ((await get(`/webhooks/${id}/deliveries${query}`)) as { deliveries: Delivery[] }).deliveries;

  /** Records an event whose number within its subject is in the data. */
  const record = (subjectId: string, no: number) =>
    db.database.transaction().execute((tx: Tx) =>
      recordEvent(tx, {
        type: 'user.blacklisted',
        subjectId,
        data: {
          userUuid: crypto.randomUUID(),
          userId: String(no),
          username: subjectId,
          isBlacklisted: true,
          reason: null,
        },
      }),
    );
  /** Lets the time of the next attempts come. */
  const wait = (seconds: number) =>
    sql`update webhook_delivery set due_at = due_at - make_interval(secs => ${seconds}) where due_at is not null`.execute(
      db.owner,
    );
  const failFor = (hours: number) =>
    sql`update webhook_endpoint set failing_since = failing_since - make_interval(hours => ${hours})`.execute(db.owner);
  const removeAll = async () => {
    const { webhooks } = (await get('/webhooks')) as { webhooks: Hook[] };
    for (const { id } of webhooks) await post(`/webhooks/${id}/remove`);
  };
  const sending = webhooksOf(db, db.config);
  return {
    db,
    server,
    token,
    post,
    get,
    addWebhook,
    readWebhook,
    deliveries,
    record,
    wait,
    failFor,
    removeAll,
    ...sending,
  };
}

export const contentOf = ({ body }: Received) =>
  JSON.parse(body) as { subjectId: string; type: string; data: { userId: string } };
/** Returns the numbers of the events of a subject, in the order in which they arrived. */
export const numbersOf = (received: readonly Received[], subject: string) =>
  received
    .map(contentOf)
    .filter(({ subjectId }) => subjectId === subject)
    .map(({ data }) => data.userId);
export const refusing = (response: ServerResponse) => response.writeHead(500).end('broken');
