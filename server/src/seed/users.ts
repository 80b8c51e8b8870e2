import { dice, idOf, pick, throwDice, walletOf } from './dice.ts';
import type { World } from './world.ts';

/** The users who wrote the demo's tickets. */
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
/** Coprime to the number of names, so that every name is used once before any is repeated. */
const stride = 1_009;

export function usernameOf(index: number) {
  const taken = known[index];
  if (taken) return taken;
  const turn = index - known.length;
  const which = (turn * stride) % names;
  const round = Math.floor(turn / names);
  return `${pick(first, which)}${pick(['.', '_', ''], turn)}${pick(last, Math.floor(which / first.length))}${round || ''}`;
}

const codes = 36 ** 6;

/** One of two billion codes, and no two are equal, because the factor is coprime to 36. */
const referralCodeOf = (index: number) =>
  ((index * 1_000_003 + 777_777_777) % codes).toString(36).toUpperCase().padStart(6, '0');

const bigTeam = 7;

/**
 * Returns the sponsor of a user. Every seventh user is in the team of the first user, the largest team; about half of
 * the others were referred by an earlier user. The exponent keeps the tree within about thirty levels.
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

/** 19 of 25 users are active: the 76 percent of the specification. */
function lastActiveOn({ now, createdAt }: { now: Date; createdAt: Date }, index: number) {
  const active = (index * 7) % 25 < 19;
  const days = active ? throwDice(index, 14, 6) : 45 + throwDice(index, 14, 90);
  const day = new Date(now.getTime() - days * dayMs);
  // A user cannot have been active before joining.
  return active || day > createdAt ? day : createdAt;
}

export type SeededUser = { index: number; createdAt: Date; id: string };

/** Returns the row of a user. */
export function userOf(world: World, index: number) {
  const born = joinedOf(world, index);
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
    sponsorId: sponsor === undefined ? null : joinedOf(world, sponsor).id,
    rank: rankOf(index),
    lastActiveOn: lastActiveOn({ now: world.now, createdAt }, index),
    blacklistedAt: blacklisted ? createdAt : null,
    blacklistReason: blacklisted ? pick(['Chargeback on a deposit', 'Several accounts', 'Shared wallet'], index) : null,
  };
}

/** Returns when a user joined, and the id derived from that time. */
export function joinedOf(world: World, index: number): SeededUser {
  const createdAt = world.joinedAt(index);
  return { index, createdAt, id: idOf(createdAt, index, 1) };
}
