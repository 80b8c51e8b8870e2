import { parseAmount } from 'contract/core/money.ts';
import { type EventOf, isEvent, type PlatformEvent } from '../client/src/events.ts';
import type { Payments } from './payments.ts';
import type { Withdrawal, World } from './world.ts';

type WithdrawalEvent = EventOf<
  'withdrawal.approved' | 'withdrawal.rejected' | 'withdrawal.confirmed' | 'withdrawal.failed'
>;

const withdrawalEvents = [
  'withdrawal.approved',
  'withdrawal.rejected',
  'withdrawal.confirmed',
  'withdrawal.failed',
] as const;

/** Returns a function that handles each event as a platform does. It notes an event that must not come, or not yet. */
export function handlerOf(world: World, payments: Payments) {
  const handled = new Map<string, PlatformEvent>();
  const newest = new Map<string, bigint>();

  function handle(event: PlatformEvent) {
    if (handled.has(event.id)) world.fault(`the event ${event.id} was handled twice`);
    handled.set(event.id, event);
    const seq = BigInt(event.seq);
    if (seq <= (newest.get(event.subjectId) ?? -1n)) world.fault(`the event ${event.seq} came after a later one`);
    newest.set(event.subjectId, seq);
    world.count(`events ${event.type}`);
    if (withdrawalEvents.some((type) => isEvent(event, type))) handleWithdrawal(event as WithdrawalEvent);
    else if (isEvent(event, 'stake.completed')) completeStakes(world, event.data);
    else if (isEvent(event, 'payment.made')) addPayments(world, event.data, false);
    else if (isEvent(event, 'payment.reversed')) addPayments(world, event.data, true);
    else if (isEvent(event, 'ticket.replied')) {
      const { ticketId, reply } = event.data;
      world.items.set(`reply ${reply.id}`, `on ${ticketId}: ${reply.message}`);
    }
  }

  function handleWithdrawal({ type, data }: WithdrawalEvent) {
    const { withdrawalId, platformId, userId } = data;
    const known = world.withdrawals.get(platformId ?? '');
    // Others can play against the same installation. Their withdrawals have to be sent, too. Those that an administrator
    // sends are not asked for.
    const withdrawal = known ?? strange({ id: platformId ?? withdrawalId, user: userId, wallet: data.wallet }, data);
    if (withdrawal.events.includes(type)) world.fault(`${withdrawal.id} has two events ${type}`);
    withdrawal.events.push(type);
    if (type === 'withdrawal.approved' && data.isAsked) {
      withdrawal.state = 'approved';
      payments.send({ withdrawalId, platformId, withdrawal });
    } else if (type === 'withdrawal.rejected') {
      withdrawal.state = 'rejected';
      const { user, units } = withdrawal;
      world.books.move({ user, asset: 'USD', from: 'held', to: 'available', units });
      world.count('withdrawals rejected');
    } else if (known && data.isAsked && type !== `withdrawal.${known.decided}`) {
      world.fault(`Bursar says ${type} of ${known.id}, which the platform has ${known.decided ?? 'not decided'}`);
    }
  }

  return { handle, handled };
}

type Named = Pick<Withdrawal, 'id' | 'user' | 'wallet'>;

const strange = (named: Named, { amount }: { amount: string }): Withdrawal => ({
  ...named,
  units: parseAmount(amount, 'USD'),
  state: 'requested',
  decided: undefined,
  reference: undefined,
  events: [],
});

function completeStakes(world: World, { stakes }: EventOf<'stake.completed'>['data']) {
  for (const { stakeId, userId, amount } of stakes) {
    const stake = world.stakes.get(stakeId);
    // A stake of somebody who plays against the same installation.
    if (!stake) continue;
    const isRight = stake.user === userId && stake.units === parseAmount(amount, 'USD') && !stake.isOver;
    if (!isRight) world.fault(`the stake ${stakeId} of ${amount} was completed`);
    stake.isOver = true;
    world.books.move({ user: stake.user, asset: 'USD', from: 'staked', to: 'available', units: stake.units });
    world.count('stakes completed');
  }
}

type Paid = EventOf<'payment.made'>['data'];

/** An event describes a chunk of a run, so the chunks are added up. */
function addPayments(world: World, { runId, chunk, asset, count, amount, setAside }: Paid, isReversal: boolean) {
  const before = world.runs.get(runId) ?? { asset, count: 0, units: 0n, setAside: 0n, isReversal, chunks: [] };
  world.runs.set(runId, {
    ...before,
    count: before.count + count,
    units: before.units + parseAmount(amount, asset),
    setAside: before.setAside + parseAmount(setAside, asset),
    chunks: [...before.chunks, chunk],
  });
}
