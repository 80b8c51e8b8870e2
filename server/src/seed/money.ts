import { dice, idOf, pick, throwDice, walletOf } from './dice.ts';
import { type Born, ownWalletOf } from './people.ts';
import type { World } from './world.ts';

const dollar = 1_000_000;
const dayMs = 86_400_000;
const lamportsPerDollar = 6_400_000;

/** Some timestamp of a person's time on the platform; every third is of the last six weeks. */
function timestampOf(world: World, person: Born, purpose: number) {
  const lately = Math.max(person.createdAt.getTime(), world.now.getTime() - 42 * dayMs);
  const since = throwDice(person.index, purpose, 3) === 0 ? lately : person.createdAt.getTime();
  return new Date(since + Math.floor((dice(person.index, purpose + 1) / 2 ** 32) * (world.now.getTime() - since)));
}

const stakeSizes = [50, 100, 150, 200, 250, 400, 500, 750, 1_000, 1_500, 2_500, 5_000];
const howManyStakes = [0, 0, 0, 1, 1, 1, 1, 1, 2, 2];

export type SeedStake = ReturnType<typeof stakesOf>[number];

export function stakesOf(world: World, person: Born) {
  return Array.from({ length: pick(howManyStakes, dice(person.index, 30)) }, (_, turn) => {
    const purpose = 100 + turn * 10;
    const createdAt = timestampOf(world, person, purpose);
    const plan = throwDice(person.index, purpose + 2, 2) === 0 ? thirty : sixty;
    const ends = new Date(createdAt.getTime() + plan.days * dayMs);
    const dollars = pick(stakeSizes, dice(person.index, purpose + 3));
    return {
      id: idOf(createdAt, person.index, purpose + 4),
      stakeId: `S${(10_000_001 + person.index) * 10 + turn}`,
      userId: person.id,
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

const thirty = { days: 30, dailyRateBp: 10 };
const sixty = { days: 60, dailyRateBp: 15 };

/** They bring them when they join, and keep them. */
export const sharesOf = (index: number) => throwDice(index, 51, 900);
export const pointsOf = (index: number) => throwDice(index, 56, 9_000);

const howManyWithdrawals = [0, 1, 1, 2];
const failures = ['The wallet does not exist', 'Rejected: the wallet belongs to another user', 'The network was down'];

export function withdrawalsOf(world: World, person: Born) {
  return Array.from({ length: pick(howManyWithdrawals, dice(person.index, 40)) }, (_, turn) => {
    const purpose = 200 + turn * 10;
    const createdAt = timestampOf(world, person, purpose);
    const amountUsd =
      (20 + throwDice(person.index, purpose + 2, 1_200)) * dollar + throwDice(person.index, 41, 100) * 10_000;
    const points = pointsOf(person.index);
    return {
      id: idOf(createdAt, person.index, purpose + 4),
      userId: person.id,
      amountUsd,
      wallet: walletFor(person, purpose + 7),
      createdAt,
      // The demo's ledger knows better, and corrects it once all is posted.
      balanceUsd: amountUsd + throwDice(person.index, purpose + 8, 3_000) * dollar,
      gmpShares: sharesOf(person.index),
      prevSlx: points,
      slxPoints: points,
      ...decisionOf(world, { person, createdAt, purpose }),
    };
  });
}

/** Mostly their own; now and then a new one, and now and then one that somebody else uses too. */
function walletFor(person: Born, purpose: number) {
  const chance = throwDice(person.index, purpose, 50);
  if (chance === 0) return ownWalletOf(Math.max(0, person.index - 1));
  return chance < 4 ? walletOf(person.index, purpose) : ownWalletOf(person.index);
}

type RequestParams = { person: Born; createdAt: Date; purpose: number };

/** What is five days old is decided. */
function decisionOf({ now }: World, { person, createdAt, purpose }: RequestParams) {
  const pending = now.getTime() - createdAt.getTime() < 5 * dayMs;
  if (pending) return { status: 'Pending' as const, decidedAt: null, reason: null, signature: null };
  const decidedAt = new Date(createdAt.getTime() + throwDice(person.index, purpose + 5, 36) * 3_600_000);
  if (throwDice(person.index, purpose + 6, 12) === 0) {
    return { status: 'Failed' as const, decidedAt, reason: pick(failures, person.index), signature: null };
  }
  return { status: 'Completed' as const, decidedAt, reason: null, signature: walletOf(person.index, purpose + 5) };
}

const tasks = [
  { title: 'Invite 5 friends', dollars: 25, url: 'https://example.com/tasks/invite' },
  { title: 'Connect wallet', dollars: 5, url: 'https://example.com/tasks/connect' },
  { title: 'Share the launch post', dollars: 3, url: 'https://example.com/posts/launch' },
  { title: 'Write a review', dollars: 10, url: 'https://example.com/tasks/review' },
  { title: 'Complete your profile', dollars: 2, url: 'https://example.com/tasks/profile' },
];

export function tasksOf(world: World, person: Born) {
  if (throwDice(person.index, 60, 5) !== 0) return [];
  const createdAt = timestampOf(world, person, 300);
  const { title, dollars, url } = pick(tasks, dice(person.index, 301));
  const done = throwDice(person.index, 302, 5) < 3;
  const rewarded = done && throwDice(person.index, 303, 4) !== 0;
  const doneAt = new Date(Math.min(world.now.getTime(), createdAt.getTime() + 2 * dayMs));
  return [
    {
      id: idOf(createdAt, person.index, 304),
      userId: person.id,
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
