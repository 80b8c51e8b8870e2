import type { PlatformEvent } from '../client/src/events.ts';
import { demoSignIn } from '../server/src/features/admins/demo.ts';
import { freePort } from '../tools/ports.ts';
import { type Administrator, signIn } from './administrator.ts';
import { usualDays } from './installed.ts';
import { countsOf, newSeries, openPlatform, type Platform } from './platform.ts';
import { play } from './players.ts';
import { createKey, createWebhook, letPlatformSend } from './setup.ts';
import { turnsOf } from './turns.ts';
import { listenForEvents } from './webhook-server.ts';

/*
 * Plays a platform gently beside the panel of a developer, until it is stopped. It approves nothing but its own key and
 * who sends: a withdrawal is sent when somebody approves it in the panel.
 */
const users = 30;
const secondsBetweenActions = 3;
const longestPauseMs = 20_000;
/** Always the same, so that a withdrawal that was under way has the same story after a restart. */
const seed = 1;
const name = 'The simulator';
const reportMs = 60_000;

const [, , address] = process.argv;
if (address === undefined) throw new Error('Name the address of the API.');
const administrator = await signIn({ addresses: [address], ...demoSignIn });
await removeEarlier(administrator);
const approving = { administrator, approver: administrator };
await letPlatformSend(approving);
const apiKey = await createKey(approving, name);

const settings = { addresses: [address], apiKey, users, seed, series: newSeries(), longestPauseMs };
const platform = openPlatform(settings);
const port = await freePort();
const secret = await createWebhook(administrator, { url: `http://127.0.0.1:${port}/events`, description: name });
await listenForEvents({ port, secret, onEvent: async (event) => handleOnce(event) });
await continueWithdrawals(platform);
console.log('A platform is playing. Approve a withdrawal in the panel, and it is sent.');
setInterval(report, reportMs);
await play(
  { world: platform.world, sender: platform.sender, days: usualDays },
  {
    turns: turnsOf(platform.world, { seed: newSeries(), total: users * 20 }),
    rate: 1 / secondsBetweenActions,
    signal: new AbortController().signal,
  },
);

function handleOnce(event: PlatformEvent) {
  if (!platform.handled.has(event.id)) platform.handle(event);
}

/** Revokes the key and removes the webhook of an earlier start, whose secrets nobody knows any more. */
async function removeEarlier(earlier: Administrator) {
  type Named = { id: string; name?: string; description?: string; state: string };
  const { keys } = await earlier.read('/api/integrations/keys');
  for (const key of keys as Named[]) {
    if (key.name === name && key.state !== 'revoked') await earlier.post(`/api/integrations/keys/${key.id}/revoke`);
  }
  const { webhooks } = await earlier.read('/api/integrations/webhooks');
  for (const webhook of webhooks as Named[]) {
    if (webhook.description === name) await earlier.post(`/api/integrations/webhooks/${webhook.id}/remove`);
  }
}

/** Sends the withdrawals that were approved while no platform was playing. */
async function continueWithdrawals({ sender }: Platform) {
  const lists = ['approved', 'sent'].map((state) =>
    administrator.readAll<{ id: string }>(`/api/withdrawals?open=${state}`, 'withdrawals'),
  );
  const open = new Set((await Promise.all(lists)).flat().map(({ id }) => id));
  for await (const event of sender.next().eventsAfter()) {
    if (event.type === 'withdrawal.approved' && open.has(event.subjectId)) handleOnce(event);
  }
}

function report() {
  const counts = Object.entries(countsOf(platform)).map(([what, count]) => `${count} ${what}`);
  console.log(counts.join(', '));
  for (const fault of platform.world.faults.splice(0)) console.warn(fault);
}
