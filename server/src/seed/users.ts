import { dice, idOf, pick, throwDice, walletOf } from './dice.ts';
import type { World } from './world.ts';

/** Those who write the demo's tickets. */
const known = [
  'mira.k',
  'solwalker',
  'jdoe88',
  'northstar',
  'lena_v',
  'stake.pilot',
  'okoro',
  'papertiger',
  'ana.luz',
  'r2b',
  'hanami',
  'fjord',
] as const;

const first = (
  'amal anders aya bela bruno carmen chidi dalia deniz eero elif emeka enzo farah finn ' +
  'gita hana hugo imani ioana ivo jana jonas kaya kofi lars leila linh luca maja ' +
  'marek mei milan nadia niko noor odile omar paloma pavel petra quinn rafa rania ravi ' +
  'rosa sami sanna selma tariq tess tomas uma vera viktor wanja yara yuki zane zofia'
).split(' ');
const last = (
  'abel adeyemi alder arslan baran bell birch blom brook castro cedar costa dahl diaz ember ' +
  'falk fenn flores garcia grove haas hale heron holm ito juarez kane kim klein kovac ' +
  'lake lind lopez marsh meyer mori nagy novak okafor park petrov reed rivers silva sol ' +
  'stone tran vale west yilmaz'
).split(' ');
const names = first.length * last.length;
/** Without a common factor with the number of names, so that each comes once before any comes again. */
const stride = 1_009;

export function usernameOf(index: number) {
  const taken = known[index];
  if (taken) return taken;
  const turn = index - known.length;
  const which = (turn * stride) % names;
  const again = Math.floor(turn / names);
  return `${pick(first, which)}${pick(['.', '_', ''], turn)}${pick(last, Math.floor(which / first.length))}${again || ''}`;
}

const codes = 36 ** 6;

/** One of two thousand million, and no two the same: the factor has none in common with 36. */
const referralCodeOf = (index: number) =>
  ((index * 1_000_003 + 777_777_777) % codes).toString(36).toUpperCase().padStart(6, '0');

const bigTeam = 7;

/**
 * Every seventh joined below the first user, whose team is the largest there can be; of the others about half were
 * referred by somebody earlier. The power of the throw keeps the tree within some thirty levels.
 */
export function sponsorOf(index: number): number | undefined {
  const chance = dice(index, 11) / 2 ** 32;
  if (index > 0 && index % bigTeam === 0) return Math.floor(chance ** 1.2 * (index / bigTeam)) * bigTeam;
  if (index < 12 || throwDice(index, 12, 2) === 0) return undefined;
  const sponsor = Math.floor(chance * index);
  return sponsor % bigTeam === 0 ? Math.max(1, sponsor - 1) : sponsor;
}

export const isBlacklisted = (index: number) => index % 97 === 13;

const ranks = ['none', 'none', 'none', 'none', 'none', 'none', 'none', 'Silver', 'Silver', 'Gold', 'Platinum'] as const;

export const rankOf = (index: number) => pick(ranks, dice(index, 13));

export const ownWalletOf = (index: number) => walletOf(index, 20);

const dayMs = 86_400_000;

/** Nineteen of twenty-five are 76 percent. */
function lastActiveOn({ now, createdAt }: { now: Date; createdAt: Date }, index: number) {
  const active = (index * 7) % 25 < 19;
  const days = active ? throwDice(index, 14, 6) : 45 + throwDice(index, 14, 90);
  const day = new Date(now.getTime() - days * dayMs);
  // Nobody was active before they came.
  return active || day > createdAt ? day : createdAt;
}

export type Born = { index: number; createdAt: Date; id: string };

/** Everything about a user that stands in one row. */
export function userOf(world: World, index: number) {
  const born = bornOf(world, index);
  const { createdAt } = born;
  const sponsor = sponsorOf(index);
  const blacklisted = isBlacklisted(index);
  return {
    ...born,
    userId: `U${10_000_001 + index}`,
    username: usernameOf(index),
    role: index % 100 === 50 ? ('Admin' as const) : ('User' as const),
    wallet: ownWalletOf(index),
    solWalletAddress: walletOf(index, 21),
    referralCode: referralCodeOf(index),
    sponsorId: sponsor === undefined ? null : bornOf(world, sponsor).id,
    rank: rankOf(index),
    lastActiveOn: lastActiveOn({ now: world.now, createdAt }, index),
    blacklistedAt: blacklisted ? createdAt : null,
    blacklistReason: blacklisted ? pick(['Chargeback on a deposit', 'Several accounts', 'Shared wallet'], index) : null,
  };
}

/** When somebody joined, and the id they got then. */
export function bornOf(world: World, index: number): Born {
  const createdAt = world.joinedAt(index);
  return { index, createdAt, id: idOf(createdAt, index, 1) };
}
