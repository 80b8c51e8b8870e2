import { parseAmount, writeAmount } from 'contract/core/money.ts';
import type { Client, Payment } from '../client/src/client.ts';
import type { PlatformEvent } from '../client/src/events.ts';
import type { RunEvents, World } from './world.ts';

/** Returns what Bursar must say, by the platform's own books. */
export function factsOfPlatform(world: World, handled: Iterable<PlatformEvent>) {
  const facts = new Map<string, string>(world.items);
  for (const [name, text] of world.books.facts()) facts.set(name, text);
  for (const { item } of world.players) {
    if (world.items.has(`user ${item.id}`)) facts.set(`figures ${item.id}`, figuresOf(world, item.id));
  }
  for (const { id, user, units, days, isOver } of world.stakes.values()) {
    const state = isOver ? 'Completed' : 'Active';
    facts.set(`stake ${id}`, `${nameOf(world, user)}, ${writeAmount(units, 'USD')} until day ${days}: ${state}`);
  }
  for (const { id, user, units, wallet, state, reference } of world.withdrawals.values()) {
    const paid = `${nameOf(world, user)}, ${writeAmount(units, 'USD')} to ${wallet}`;
    facts.set(`withdrawal ${id}`, `${paid}: ${state}, ${reference ?? 'no reference'}`);
  }
  for (const [kind, count] of world.activity) facts.set(`activity ${kind}`, String(count));
  for (const [id, { asset, count, units }] of world.runs) {
    facts.set(`run ${id}`, `${count} payments of ${writeAmount(units, asset)}`);
  }
  for (const event of handled) facts.set(`event ${event.id}`, eventFact(event));
  return facts;
}

export const eventFact = ({ seq, type, subjectId, timestamp, data }: PlatformEvent) =>
  JSON.stringify([seq, type, subjectId, timestamp, data]);

const nameOf = ({ players }: World, user: string) =>
  players.find(({ item }) => item.id === user)?.item.username ?? user;

/** The figures that the profile of a user shows. */
function figuresOf({ books }: World, user: string) {
  const [available, staked, held] = (['available', 'staked', 'held'] as const).map((account) =>
    books.unitsOf({ user, asset: 'USD', account }),
  );
  return figuresFact({
    available: writeAmount(available ?? 0n, 'USD'),
    totalStaked: writeAmount(staked ?? 0n, 'USD'),
    withdrawal: writeAmount(held ?? 0n, 'USD'),
    totalEarnings: writeAmount(-books.unitsOf({ user, asset: 'USD', account: 'rewards' }), 'USD'),
    gmpEarnings: writeAmount(-books.unitsOf({ user, asset: 'GMP', account: 'rewards' }), 'GMP'),
    SLX: writeAmount(books.unitsOf({ user, asset: 'SLX', account: 'available' }), 'SLX'),
    gmpShares: writeAmount(books.unitsOf({ user, asset: 'SHARE', account: 'available' }), 'SHARE'),
  });
}

const figures = ['available', 'totalStaked', 'withdrawal', 'totalEarnings', 'gmpEarnings', 'SLX', 'gmpShares'] as const;

export const figuresFact = (shown: Record<(typeof figures)[number], string>) =>
  figures.map((name) => `${name} ${shown[name]}`).join(', ');

/** Notes withdrawals whose events do not tell their story: once approved or rejected, then their end, if they have one. */
export function checkStories(world: World) {
  for (const { id, state, events } of world.withdrawals.values()) {
    const approved = state === 'unknown' ? [] : [`withdrawal.${state}`];
    const due = state === 'rejected' ? ['withdrawal.rejected'] : ['withdrawal.approved', ...approved];
    if (events.join() !== due.join()) world.fault(`${id} is ${state}, and its events are: ${events.join(', ')}`);
  }
}

/** Credits what runs have paid, as the lists of their chunks say. Notes lists that differ from the events. */
export async function creditRuns(world: World, client: Client) {
  for (const [id, run] of world.runs) {
    const payments = [];
    for (const chunk of run.chunks) {
      for await (const payment of client.paymentsOf({ runId: id, chunk })) payments.push(payment);
    }
    creditRun({ world, id, run }, payments);
  }
}

type Credited = { world: World; id: string; run: RunEvents };

function creditRun({ world, id, run }: Credited, payments: readonly Payment[]) {
  const { asset, isReversal } = run;
  let [sum, setAside] = [0n, 0n];
  for (const payment of payments) {
    const units = parseAmount(payment.amount, asset);
    const accounts = isReversal
      ? ({ from: 'available', to: 'rewards' } as const)
      : ({ from: 'rewards', to: 'available' } as const);
    world.books.move({ user: payment.userId, asset, units, ...accounts });
    sum += units;
    setAside += parseAmount(payment.setAside, asset);
  }
  if (payments.length !== run.count || sum !== run.units || setAside !== run.setAside) {
    world.fault(
      `The run ${id} lists ${payments.length} payments of ${sum}, and its events say ${run.count} of ${run.units}`,
    );
  }
}
