import type { Account, TransferKind } from 'contract/ledger.ts';
import type { Asset } from 'contract/core/money.ts';
import type { SeedTransfer } from '#server/core/ledger/demo.ts';
import { idOf, throwDice } from './dice.ts';
import { pointsOf, type SeedStake, sharesOf, stakesOf, tasksOf, withdrawalsOf } from './money.ts';
import { type SeededUser, joinedOf, isBlacklisted, rankOf, sponsorOf } from './users.ts';
import type { World } from './world.ts';

const dollar = 1_000_000;
const dayMs = 86_400_000;

/** The initial funds of the treasury. */
const endowments = [
  { asset: 'USD', units: 2_000_000 * dollar },
  { asset: 'GMP', units: 5_000_000 * dollar },
] as const;

export function* endowmentsOf(world: World): Generator<SeedTransfer> {
  const day = world.joinedAt(0);
  for (const [index, { asset, units }] of endowments.entries()) {
    const causeId = idOf(day, index, 520);
    yield { day, kind: 'deposit', causeId, part: 0, userId: null, asset, debit: 'outside', credit: 'treasury', units };
  }
}

type Move = [kind: TransferKind, debit: Account, credit: Account];

function transfer(userId: string, [kind, debit, credit]: Move, it: TransferParams): SeedTransfer {
  return { part: 0, asset: 'USD', ...it, userId, kind, debit, credit };
}
type TransferParams = { day: Date; causeId: string; units: number; part?: number; asset?: Asset };

/** Yields every transfer of a user's history. */
export function* historyOf(world: World, user: SeededUser): Generator<SeedTransfer> {
  const stakes = stakesOf(world, user);
  const withdrawals = withdrawalsOf(world, user);
  // Deposits cover everything, even what is returned later, because it may all be locked at the same time.
  yield* paidIn(user, sum(stakes) + sum(withdrawals));
  for (const stake of stakes) {
    yield placed(user, stake);
    yield* rewardsOf(world, user, stake);
    yield* returned(user, stake);
  }
  yield* paidOut(user, withdrawals);
  yield* taskRewards(world, user);
  yield* bonusesOf(world, user, stakes);
}

/** Yields a user's transfers without rewards: the whole history is about seventy transfers per user. */
export function* openingOf(world: World, user: SeededUser): Generator<SeedTransfer> {
  const stakes = stakesOf(world, user);
  const withdrawals = withdrawalsOf(world, user);
  yield* paidIn(user, sum(stakes) + sum(withdrawals));
  for (const stake of stakes) {
    yield placed(user, stake);
    yield* returned(user, stake);
  }
  yield* paidOut(user, withdrawals);
  yield* taskRewards(world, user);
}

function* paidOut(user: SeededUser, withdrawals: ReturnType<typeof withdrawalsOf>) {
  for (const { id, createdAt, amountUsd, state, decidedAt } of withdrawals) {
    const details = { causeId: id, units: amountUsd };
    yield transfer(user.id, ['withdrawal', 'available', 'held'], { ...details, day: createdAt });
    if (!decidedAt) continue;
    const credit = state === 'confirmed' ? 'outside' : 'available';
    yield transfer(user.id, ['withdrawal', 'held', credit], { ...details, day: decidedAt, part: 1 });
  }
}

function* taskRewards(world: World, user: SeededUser) {
  for (const { id, rewardUsd, rewardedAt } of tasksOf(world, user)) {
    if (!rewardedAt) continue;
    const details = { day: rewardedAt, causeId: id, units: rewardUsd };
    yield { ...transfer(user.id, ['funding', 'treasury', 'task_rewards'], details), userId: null };
    yield transfer(user.id, ['task', 'task_rewards', 'available'], details);
  }
}

const sum = (list: readonly { amountUsd: number }[]) => list.reduce((total, { amountUsd }) => total + amountUsd, 0);

const placed = (
  { id: userId }: SeededUser,
  { id, createdAt, amountUsd }: Pick<SeedStake, 'id' | 'createdAt' | 'amountUsd'>,
) => transfer(userId, ['stake', 'available', 'staked'], { day: createdAt, causeId: id, units: amountUsd });

/** Yields deposits that cover the user's later activity with some to spare, and the user's shares and points. */
function* paidIn({ id, index, createdAt }: SeededUser, needed: number) {
  const brought = [
    { asset: 'USD', units: needed + throwDice(index, 54, 400) * dollar },
    { asset: 'SHARE', units: sharesOf(index) },
    { asset: 'SLX', units: pointsOf(index) },
  ] as const;
  for (const [purpose, { asset, units }] of brought.entries()) {
    const details = { day: createdAt, causeId: idOf(createdAt, index, 510 + purpose), asset, units };
    if (units > 0) yield transfer(id, ['deposit', 'outside', 'available'], details);
  }
}

/** Half of a daily reward is paid, a fifth more if the owner has a rank, and three tenths are set aside as loyalty. */
function* rewardsOf(world: World, user: SeededUser, stake: SeedStake) {
  const { id: causeId, createdAt, ends, amountUsd, dailyRatePpm, completedAt } = stake;
  const part = (percent: number) => Math.floor((amountUsd * (dailyRatePpm / 100) * percent) / 1_000_000);
  let days = 0;
  const last = Math.min(dayOf(ends), world.paidThrough.getTime());
  for (let day = dayOf(createdAt) + dayMs; day <= last && !isBlacklisted(user.index); day += dayMs) {
    const details = { day: new Date(day), causeId };
    days += 1;
    yield transfer(user.id, ['stake-base', 'stake_rewards', 'available'], { ...details, units: part(50) });
    if (rankOf(user.index) !== 'none') {
      yield transfer(user.id, ['stake-bonus', 'stake_rewards', 'available'], { ...details, units: part(20) });
    }
    const aside = transfer(user.id, ['stake-loyalty', 'treasury', 'loyalty'], { ...details, units: part(30) });
    yield { ...aside, userId: null };
  }
  if (!completedAt || days === 0) return;
  yield transfer(user.id, ['loyalty', 'loyalty', 'available'], { day: ends, causeId, units: days * part(30) });
}

function* returned(user: SeededUser, { id: causeId, ends: day, amountUsd: units, completedAt }: SeedStake) {
  if (completedAt) yield transfer(user.id, ['stake', 'staked', 'available'], { day, causeId, part: 1, units });
}

const dayOf = (timestamp: Date) => timestamp.getTime() - (timestamp.getTime() % dayMs);

/** The last digit of the part of a payment: its rank, or the frequency of the distribution. */
const rankParts = { none: 0, Silver: 1, Gold: 2, Platinum: 3 };
const weekly = 2;

function* bonusesOf(world: World, user: SeededUser, stakes: SeedStake[]) {
  const { index, id, createdAt } = user;
  if (isBlacklisted(index)) return;
  const [first] = stakes.toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  const sponsor = sponsorOf(index);
  if (first && sponsor !== undefined && dayOf(first.createdAt) <= world.paidThrough.getTime()) {
    const details = { day: first.createdAt, causeId: id, units: first.amountUsd / 20 };
    yield transfer(joinedOf(world, sponsor).id, ['referral', 'referral_bonuses', 'available'], details);
  }
  const lastMonday = world.paidThrough.getTime() - (world.paidThrough.getUTCDay() + 6) * dayMs;
  const rank = rankOf(index);
  for (let week = 1; rank !== 'none' && week <= 1 + throwDice(index, 53, 12); week += 1) {
    const details = { day: new Date(lastMonday - week * 7 * dayMs), causeId: id, part: rankParts[rank] };
    if (details.day > createdAt) {
      yield transfer(id, ['rank-bonus', 'rank_bonuses', 'available'], { ...details, units: 10 * dollar });
    }
  }
  const details = {
    day: new Date(lastMonday),
    causeId: id,
    part: weekly,
    asset: 'GMP',
    units: throwDice(index, 55, 4_000) * 12_345,
  } as const;
  if (details.units > 0) yield transfer(id, ['gmp', 'gmp_pool', 'available'], details);
}
