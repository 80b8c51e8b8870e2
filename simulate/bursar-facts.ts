import { parseAmount } from 'contract/core/money.ts';
import type { Transfer } from 'contract/ledger.ts';
import type { Client } from '../client/src/client.ts';
import type { Administrator } from './administrator.ts';
import { type Account, openBooks } from './books.ts';
import { depositFact } from './money.ts';
import { eventFact, figuresFact } from './own-facts.ts';
import { userFact } from './players.ts';

const readAtOnce = 6;

type UserRow = { id: string; userId: string };
type Figures = Parameters<typeof figuresFact>[0];
type User = Figures & { userId: string; username: string; referredBy: { userId: string } | null };
type Posted = Pick<Transfer, 'kind' | 'cause' | 'asset' | 'amount' | 'from' | 'to'>;
type Stake = { stakeId: string; user: string; amount: string; duration: string; status: string };
type Withdrawal = Record<'id' | 'user' | 'amount' | 'wallet' | 'state', string> &
  Record<'platformId' | 'reference', string | null>;
type Ticket = Record<'id' | 'username' | 'type' | 'description', string>;
type Reply = Record<'id' | 'sender' | 'message', string>;
type Task = Record<'id' | 'userId' | 'title' | 'reward', string>;
type Run = { id: string; paidLines: number; paid: string };
type Counts = { kind: string; count: number }[];

type Facts = ReturnType<typeof openFacts>;

/** A thing that exists twice has a second name, so that it is a difference. */
function openFacts() {
  const known = new Map<string, string>();
  const add = (name: string, text: string): void => {
    if (known.has(name)) add(`another ${name}`, text);
    else known.set(name, text);
  };
  return { known, add };
}

/** Reads what Bursar says, over its API only. */
export async function factsOfBursar(administrator: Administrator, client: Client) {
  const facts = openFacts();
  await readUsers(administrator, facts);
  const stakes = await administrator.readAll<Stake>('/api/staking', 'stakes');
  for (const { stakeId, user, amount, duration, status } of stakes) {
    facts.add(`stake ${stakeId}`, `${user}, ${amount} until day ${Number.parseInt(duration, 10)}: ${status}`);
  }
  const withdrawals = await administrator.readAll<Withdrawal>('/api/withdrawals', 'withdrawals');
  for (const { id, platformId, user, amount, wallet, state, reference } of withdrawals) {
    const paid = `${user}, ${amount} to ${wallet}`;
    facts.add(`withdrawal ${platformId ?? id}`, `${paid}: ${state}, ${reference ?? 'no reference'}`);
  }
  const tickets = await administrator.readAll<Ticket>('/api/tickets/all', 'tickets');
  await inLanes(tickets, async (ticket) => {
    facts.add(`ticket ${ticket.id}`, `${ticket.username}, ${ticket.type}: ${ticket.description}`);
    await readReplies(administrator, { facts, ticket });
  });
  for (const { id, userId, title, reward } of await administrator.readAll<Task>('/api/tasks', 'tasks')) {
    facts.add(`task ${id}`, `${userId}: ${title} for ${reward}`);
  }
  for (const { id, paidLines, paid } of await administrator.readAll<Run>('/api/runs', 'runs')) {
    if (paidLines > 0) facts.add(`run ${id}`, `${paidLines} payments of ${paid}`);
  }
  const analytics = await administrator.read('/api/reports/analytics');
  for (const { kind, count } of [...(analytics['actions'] as Counts), ...(analytics['interactions'] as Counts)]) {
    if (count > 0) facts.add(`activity ${kind}`, String(count));
  }
  for await (const event of client.eventsAfter()) facts.add(`event ${event.id}`, eventFact(event));
  return facts.known;
}

/** Reads the profile of every user, and adds up all of their transfers. */
async function readUsers(administrator: Administrator, facts: Facts) {
  const books = openBooks();
  await inLanes(await administrator.readAll<UserRow>('/api/users', 'users'), async ({ id, userId }) => {
    const user = (await administrator.read(`/api/users/${id}`))['user'] as User;
    facts.add(`user ${userId}`, userFact({ username: user.username, sponsor: user.referredBy?.userId ?? null }));
    facts.add(`figures ${userId}`, figuresFact(user));
    const transfers = await administrator.readAll<Posted>(`/api/ledger/transfers?user=${id}`, 'transfers');
    for (const { kind, cause, asset, amount, from, to } of transfers) {
      const units = parseAmount(amount, asset);
      books.move({ user: userId, asset, units, from: accountOf(from), to: accountOf(to) });
      if (kind === 'deposit') facts.add(`deposit ${cause}`, depositFact({ user: userId, asset, units }));
    }
  });
  for (const [name, text] of books.facts()) facts.add(name, text);
}

const ofUsers = ['available', 'staked', 'held', 'receivable', 'outside'] as const;

/** All accounts of the platform from which users are rewarded are one to them. */
const accountOf = (account: Transfer['from']): Account => ofUsers.find((one) => one === account) ?? 'rewards';

async function readReplies(administrator: Administrator, { facts, ticket }: { facts: Facts; ticket: Ticket }) {
  const { replies } = await administrator.read(`/api/tickets/${ticket.id}`);
  for (const { id, sender, message } of replies as Reply[]) {
    if (sender === ticket.username) facts.add(`message ${id}`, `${sender} on ${ticket.id}: ${message}`);
    else facts.add(`reply ${id}`, `on ${ticket.id}: ${message}`);
  }
}

/** Works through a list, some at a time. */
async function inLanes<Item>(items: readonly Item[], act: (item: Item) => Promise<void>) {
  const left = items.values();
  const lane = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: readAtOnce }, lane));
}
