import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Administrator } from './administrator.ts';
import type { World } from './world.ts';

const pauseMs = 700;
const decidedAtOnce = 100;

type WithdrawalRow = { id: string; state: string; waitsUntil: string | null };
type Request = { id: string; digest: string; requestedBy: { username: string } };
type Ticket = { id: string; username: string };
type Reply = { sender: string };

/** Returns the withdrawals on which nobody has decided or requested a decision. */
export async function listRequested(administrator: Administrator) {
  const pending = await administrator.readAll<WithdrawalRow>('/api/withdrawals?status=Pending', 'withdrawals');
  return pending.filter(({ state }) => state === 'requested');
}

/** Approves what users want to withdraw and rejects some of it. What is above the daily limit waits for the second. */
async function decideWithdrawals(administrator: Administrator) {
  const undecided = (await listRequested(administrator)).filter(({ waitsUntil }) => waitsUntil === null);
  const isRejected = ({ id }: WithdrawalRow) => hash('sha256', id, 'buffer').readUInt8() % 10 === 0;
  const decide = async (withdrawals: readonly WithdrawalRow[], decision: object) => {
    const ids = withdrawals.slice(0, decidedAtOnce).map(({ id }) => id);
    if (ids.length > 0) await administrator.post('/api/withdrawals/decide', { ids, ...decision });
  };
  await decide(undecided.filter(isRejected), { rejectedFor: 'This wallet is not yours.' });
  await decide(
    undecided.filter((one) => !isRejected(one)),
    {},
  );
}

/** Approves everything that others have requested. */
export async function approveWaiting(administrator: Administrator) {
  const waiting = await administrator.readAll<Request>('/api/approvals?state=waiting', 'approvals');
  for (const { id, digest, requestedBy } of waiting) {
    if (requestedBy.username === administrator.username) continue;
    await administrator.post(`/api/approvals/${id}/decide`, { decision: 'approve', digest });
  }
}

/** Answers new tickets. An answer can be lost with its server, so the ticket is read before it is answered again. */
async function replyToTickets(administrator: Administrator) {
  const open = await administrator.readAll<Ticket>('/api/tickets/all?status=open', 'tickets');
  for (const { id, username } of open) {
    const { replies } = await administrator.read(`/api/tickets/${id}`);
    if ((replies as Reply[]).some(({ sender }) => sender === administrator.username)) continue;
    await administrator.post(`/api/tickets/${id}/reply`, { message: `Hello ${username}, we are looking into it.` });
  }
}

type Office = { first: Administrator; second: Administrator; world: World };

/** Lets two administrators decide on what comes in, until `stop`. */
export function openBackOffice({ first, second, world }: Office) {
  const stopping = new AbortController();
  const repeat = async (act: () => Promise<void>) => {
    while (!stopping.signal.aborted) {
      await act().catch((error: unknown) => world.fault(`The back office failed: ${String(error)}`));
      await wait(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const working = Promise.all([
    repeat(() => decideWithdrawals(first)),
    repeat(() => approveWaiting(second)),
    repeat(() => replyToTickets(first)),
  ]);
  return {
    async stop() {
      stopping.abort();
      await working;
    },
  };
}
