import { dice, idOf, pick, throwDice, walletOf } from './dice.ts';
import { type SeededUser, ownWalletOf } from './users.ts';
import type { World } from './world.ts';

const dollar = 1_000_000;
const dayMs = 86_400_000;
const lamportsPerDollar = 6_400_000;

/** Returns a time since the user joined. A third of them are within the last six weeks. */
function timestampOf(world: World, user: SeededUser, purpose: number) {
  const lately = Math.max(user.createdAt.getTime(), world.now.getTime() - 42 * dayMs);
  const since = throwDice(user.index, purpose, 3) === 0 ? lately : user.createdAt.getTime();
  return new Date(since + Math.floor((dice(user.index, purpose + 1) / 2 ** 32) * (world.now.getTime() - since)));
}

const stakeSizes = [50, 100, 150, 200, 250, 400, 500, 750, 1_000, 1_500, 2_500, 5_000];
const howManyStakes = [0, 0, 0, 1, 1, 1, 1, 1, 2, 2];

export type SeedStake = ReturnType<typeof stakesOf>[number];

export function stakesOf(world: World, user: SeededUser) {
  return Array.from({ length: pick(howManyStakes, dice(user.index, 30)) }, (_, turn) => {
    const purpose = 100 + turn * 10;
    const createdAt = timestampOf(world, user, purpose);
    const plan = throwDice(user.index, purpose + 2, 2) === 0 ? thirty : sixty;
    const ends = new Date(createdAt.getTime() + plan.days * dayMs);
    const dollars = pick(stakeSizes, dice(user.index, purpose + 3));
    return {
      id: idOf(createdAt, user.index, purpose + 4),
      stakeId: `S${(10_000_001 + user.index) * 10 + turn}`,
      userId: user.id,
      ...plan,
      amountUsd: dollars * dollar,
      amountSol: dollars * lamportsPerDollar,
      createdAt,
      ends,
      // Completed by the payout of its last day.
      completedAt: ends.getTime() < world.paidThrough.getTime() + dayMs ? ends : null,
    };
  });
}

const thirty = { days: 30, dailyRatePpm: 1_000 };
const sixty = { days: 60, dailyRatePpm: 1_500 };

/** Users get their shares and points when they join, and keep them. */
export const sharesOf = (index: number) => throwDice(index, 51, 900);
export const pointsOf = (index: number) => throwDice(index, 56, 9_000);

const howManyWithdrawals = [0, 1, 1, 2];
const failures = ['The wallet does not exist', 'Rejected: the wallet belongs to another user', 'The network was down'];

export function withdrawalsOf(world: World, user: SeededUser) {
  return Array.from({ length: pick(howManyWithdrawals, dice(user.index, 40)) }, (_, turn) => {
    const purpose = 200 + turn * 10;
    const createdAt = timestampOf(world, user, purpose);
    const amountUsd =
      (20 + throwDice(user.index, purpose + 2, 1_200)) * dollar + throwDice(user.index, 41, 100) * 10_000;
    const points = pointsOf(user.index);
    return {
      id: idOf(createdAt, user.index, purpose + 4),
      userId: user.id,
      amountUsd,
      wallet: walletFor(user, purpose + 7),
      createdAt,
      // A placeholder. For the demo, it is corrected from the ledger once everything is posted.
      balanceUsd: amountUsd + throwDice(user.index, purpose + 8, 3_000) * dollar,
      gmpShares: sharesOf(user.index),
      prevSlx: points,
      slxPoints: points,
      ...decisionOf(world, { user, createdAt, purpose }),
    };
  });
}

/** Mostly the user's own wallet, sometimes a new one, and sometimes the wallet of another user. */
function walletFor(user: SeededUser, purpose: number) {
  const chance = throwDice(user.index, purpose, 50);
  if (chance === 0) return ownWalletOf(Math.max(0, user.index - 1));
  return chance < 4 ? walletOf(user.index, purpose) : ownWalletOf(user.index);
}

type RequestParams = { user: SeededUser; createdAt: Date; purpose: number };

/** Requests older than five days are decided. */
function decisionOf({ now }: World, { user, createdAt, purpose }: RequestParams) {
  const pending = now.getTime() - createdAt.getTime() < 5 * dayMs;
  if (pending) return { state: 'requested' as const, decidedAt: null, reason: null, reference: null };
  const decidedAt = new Date(createdAt.getTime() + throwDice(user.index, purpose + 5, 36) * 3_600_000);
  if (throwDice(user.index, purpose + 6, 12) === 0) {
    return { state: 'rejected' as const, decidedAt, reason: pick(failures, user.index), reference: null };
  }
  return { state: 'confirmed' as const, decidedAt, reason: null, reference: walletOf(user.index, purpose + 5) };
}

const tasks = [
  { title: 'Invite 5 friends', dollars: 25, url: 'https://example.com/tasks/invite' },
  { title: 'Connect wallet', dollars: 5, url: 'https://example.com/tasks/connect' },
  { title: 'Share the launch post', dollars: 3, url: 'https://example.com/posts/launch' },
  { title: 'Write a review', dollars: 10, url: 'https://example.com/tasks/review' },
  { title: 'Complete your profile', dollars: 2, url: 'https://example.com/tasks/profile' },
];

export function tasksOf(world: World, user: SeededUser) {
  if (throwDice(user.index, 60, 5) !== 0) return [];
  const createdAt = timestampOf(world, user, 300);
  const { title, dollars, url } = pick(tasks, dice(user.index, 301));
  const done = throwDice(user.index, 302, 5) < 3;
  const rewarded = done && throwDice(user.index, 303, 4) !== 0;
  const doneAt = new Date(Math.min(world.now.getTime(), createdAt.getTime() + 2 * dayMs));
  return [
    {
      id: idOf(createdAt, user.index, 304),
      userId: user.id,
      postUrl: url,
      title,
      description: `${title} before the deadline. The reward is paid once it has been checked.`,
      rewardUsd: dollars * dollar,
      deadline: new Date(createdAt.getTime() + 21 * dayMs),
      status: done ? ('Completed' as const) : ('Active' as const),
      rewarded,
      rewardedAt: rewarded ? doneAt : null,
      createdAt,
    },
  ];
}
