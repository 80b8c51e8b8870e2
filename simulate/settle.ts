import { setTimeout as wait } from 'node:timers/promises';
import type { Administrator } from './administrator.ts';
import { listRequested } from './back-office.ts';
import type { Platform } from './platform.ts';
import { isPaying } from './runs.ts';

const pollMs = 1_000;

type Settling = {
  administrator: Administrator;
  platform: Platform;
  /** It gives up when nothing has changed for this long. */
  patienceMs: number;
};

/**
 * Waits until nothing is left to do: every withdrawal is decided and reported, no run is paid, and every event was sent
 * and handled. Returns what is left if it gives up.
 */
export async function settle({ administrator, platform, patienceMs }: Settling) {
  const { sender, payments, handled } = platform;
  let [events, cursor] = [0, '0'];
  let [before, since] = ['', Date.now()];
  for (;;) {
    for await (const event of sender.next().eventsAfter(cursor)) {
      events += 1;
      cursor = event.seq;
    }
    const { webhooks } = await administrator.read('/api/integrations/webhooks');
    const left = {
      payments: payments.isIdle() ? 0 : 1,
      requested: (await listRequested(administrator)).length,
      runs: (await isPaying(administrator)) ? 1 : 0,
      deliveries: (webhooks as { pending: number }[]).reduce((sum, { pending }) => sum + pending, 0),
      events: events - handled.size,
    };
    if (Object.values(left).every((count) => count === 0)) return undefined;
    const now = JSON.stringify(left);
    if (now !== before) [before, since] = [now, Date.now()];
    if (Date.now() - since > patienceMs) return now;
    await wait(pollMs);
  }
}
