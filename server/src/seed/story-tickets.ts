import { writeAmount } from 'contract/core/money.ts';
import { type RawBuilder, sql } from 'kysely';
import { runQuery, type Database } from '#server/core/db/db.ts';
import { insertExchange, type SeedExchange } from '#server/features/tickets/demo.ts';
import { isoDay, type Story } from './story-time.ts';

/** Writes tickets of users with questions about payments that they got, or did not get, in the demo's story. */
export async function writeTickets(database: Database, story: Story) {
  const tickets: SeedExchange[] = [];
  for (const write of [lateDays, wrongAmount, loyaltyPaid, blocked, rankBonus, pendingWithdrawal]) {
    tickets.push(await write(database, story));
  }
  await database.transaction().execute(async (tx) => {
    for (const ticket of tickets) await insertExchange(tx, ticket);
  });
}

const dollars = (units: bigint) => `$${writeAmount(units, 'USD')}`;
const longDate = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });
const formatDay = (timestamp: Date) => longDate.format(timestamp);

async function one<R>(database: Database, query: RawBuilder<R>) {
  const [row] = await runQuery(database, query);
  if (row === undefined) throw new Error('The demo’s story has nobody to write this ticket.');
  return row;
}

const answered = (createdAt: Date, message: string) => ({ sender: 'amara.osei', message, createdAt });

type Paid = { username: string; stakeId: string; base: bigint; before: bigint };

/** Selects what one of the largest unranked stakes got in a day's first payout, and what it got the day before. */
const paidOn = (day: string, place: number) => sql<Paid>`
  select platform_user.username, stake.stake_id as "stakeId", line.base, earlier.base as before
  from run
  join run_line as line on line.run_id = run.id and line.day = run.day
  join run as last on last.kind = run.kind and last.day = run.day - 1 and last.reverses is null
  join run_line as earlier on earlier.run_id = last.id and earlier.day = last.day and earlier.cause_id = line.cause_id
  join stake on stake.id = line.cause_id
  join platform_user on platform_user.id = line.user_id
  where run.kind = 'stake-payout' and run.day = ${day}::date and run.reverses is null and run.part = 0
    and line.skip is null and not line.ranked and not line.completes and earlier.skip is null
  order by line.input desc, platform_user.username offset ${place} limit 1`;

async function lateDays(database: Database, { daysAgo }: Story): Promise<SeedExchange> {
  const [first, second] = [daysAgo(20, '00:00'), daysAgo(19, '00:00')];
  const { username, stakeId } = await one(database, paidOn(isoDay(second), 1));
  return {
    type: 'No payout for two days',
    description: `My stake ${stakeId} was not paid for ${formatDay(first)}, and nothing came last night either.`,
    username,
    status: 'closed',
    createdAt: daysAgo(18, '06:55'),
    replies: [
      answered(daysAgo(18, '08:10'), `Both days were paid this morning, ${formatDay(first)} and ${formatDay(second)}.`),
    ],
  };
}

async function wrongAmount(database: Database, { daysAgo }: Story): Promise<SeedExchange> {
  const day = daysAgo(13, '00:00');
  const { username, stakeId, base, before } = await one(database, paidOn(isoDay(day), 0));
  return {
    type: 'Stake payout higher than the day before',
    description: `My stake ${stakeId} paid ${dollars(base)} for ${formatDay(day)}. The day before it was ${dollars(before)}. Which one is right?`,
    username,
    status: 'resolved',
    createdAt: daysAgo(12, '08:37'),
    replies: [
      answered(
        daysAgo(12, '10:25'),
        `${dollars(before)} is right. That day was paid with the wrong shares, so it was reversed and paid again.`,
      ),
    ],
  };
}

type Ended = { username: string; stakeId: string; days: number; units: bigint; loyalty: bigint; endedAt: Date };

async function loyaltyPaid(database: Database, { now }: Story): Promise<SeedExchange> {
  const { username, stakeId, days, units, loyalty, endedAt } = await one(
    database,
    sql<Ended>`
    select platform_user.username, stake.stake_id as "stakeId", stake.days, line.input as units, line.closing as loyalty,
      stake.completed_at as "endedAt"
    from run_line as line
    join stake on stake.id = line.cause_id
    join platform_user on platform_user.id = line.user_id
    where line.completes and line.closing > 0 and stake.completed_at < ${now}::timestamptz - interval '1 day'
    order by stake.completed_at desc, stake.stake_id limit 1`,
  );
  const later = (hours: number) => new Date(endedAt.getTime() + hours * 3_600_000);
  return {
    type: 'More came back than I staked',
    description: `My ${days}-day stake ${stakeId} of ${dollars(units)} ended, and ${dollars(loyalty)} came with it. What is that for?`,
    username,
    status: 'resolved',
    createdAt: later(9),
    replies: [
      answered(
        later(11),
        `It is the loyalty reward. Part of each day's reward was set aside for ${days} days and is paid when the stake ends.`,
      ),
    ],
  };
}

async function blocked(database: Database, { daysAgo }: Story): Promise<SeedExchange> {
  const since = daysAgo(9, '00:00');
  const { username, stakeId } = await one(
    database,
    sql<{ username: string; stakeId: string }>`
    select platform_user.username, stake.stake_id as "stakeId"
    from platform_user join stake on stake.user_id = platform_user.id and stake.status = 'Active'
    where platform_user.blacklisted_at >= ${since} order by stake.created_at limit 1`,
  );
  return {
    type: 'My stake is not paid any more',
    description: `Nothing has been paid for my stake ${stakeId} since ${formatDay(since)}.`,
    username,
    status: 'awaiting_user',
    createdAt: daysAgo(6, '09:05'),
    replies: [
      answered(
        daysAgo(6, '11:30'),
        'A deposit of yours was charged back. Payouts resume once your bank confirms it; please send us its letter.',
      ),
    ],
  };
}

async function rankBonus(database: Database, { lastWeek }: Story): Promise<SeedExchange> {
  const { username, units } = await one(
    database,
    sql<{ username: string; units: bigint }>`
    select platform_user.username, line.base as units
    from run join run_line as line on line.run_id = run.id and line.day = run.day
    join platform_user on platform_user.id = line.user_id
    where run.kind = 'rank-bonus' and run.state = 'completed' and line.skip is null
    order by platform_user.user_id limit 1`,
  );
  return {
    type: 'An amount that I did not expect',
    description: `I received ${dollars(units)} on ${formatDay(lastWeek('10:19'))}. Is that a mistake?`,
    username,
    status: 'closed',
    createdAt: lastWeek('12:48'),
    replies: [answered(lastWeek('13:15'), 'No, it is the weekly bonus for your rank, Silver.')],
  };
}

async function pendingWithdrawal(database: Database, { minutesAgo }: Story): Promise<SeedExchange> {
  const { username, units, requestedAt } = await one(
    database,
    sql<{ username: string; units: bigint; requestedAt: Date }>`
    select platform_user.username, item.amount_usd as units, item.created_at as "requestedAt"
    from approval join withdrawal as item on item.id = approval.subject_id
    join platform_user on platform_user.id = item.user_id
    where approval.kind = 'withdrawal' and approval.state = 'waiting' limit 1`,
  );
  return {
    type: 'Withdrawal still pending',
    description: `My withdrawal of ${dollars(units)} from ${formatDay(requestedAt)} still says Pending. Is anything missing on my side?`,
    username,
    status: 'open',
    createdAt: minutesAgo(10),
    replies: [],
  };
}
