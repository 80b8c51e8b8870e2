import type { Asset } from 'contract/core/money.ts';
import type { Action, Interaction } from 'contract/reports.ts';
import type { UserItem } from '../client/src/items.ts';
import { chanceOf } from '../proof/processes/chance.ts';
import { openBooks } from './books.ts';
import { walletOf } from './wallet.ts';

/** A user of the platform. */
export type Player = {
  item: Omit<UserItem, 'joinedAt'>;
  sponsor: Player | undefined;
  /** Resolves when Bursar has the user. */
  joined: Promise<boolean> | undefined;
  /** A user does one thing after the other. */
  lane: Promise<void>;
  tickets: string[];
};

export type Stake = { id: string; user: string; units: bigint; days: number; isOver: boolean };

export type Withdrawal = {
  id: string;
  user: string;
  units: bigint;
  wallet: string;
  /** What Bursar must say at the end: what the platform has reported, or that an administrator has rejected it. */
  state: 'requested' | 'approved' | 'sent' | 'unknown' | 'confirmed' | 'failed' | 'rejected';
  /** What became of the transaction. The platform knows it before it reports it. */
  decided: 'confirmed' | 'failed' | undefined;
  reference: string | undefined;
  /** The types of its events, in the order in which they were handled. */
  events: string[];
};

export type ActivityKind = Action | Interaction;

/** What the events about a run say: how many payments it made or reversed, and their sum. */
export type RunEvents = {
  asset: Asset;
  count: number;
  units: bigint;
  setAside: bigint;
  isReversal: boolean;
  /** The numbers of its paid chunks. */
  chunks: number[];
};

export type World = ReturnType<typeof openWorld>;

const names = ['ada', 'boris', 'chen', 'dina', 'emil', 'fatou', 'goran', 'hana', 'ivo', 'june', 'kofi', 'lena', 'mira'];
const rememberedFaults = 50;

type Options = { users: number; seed: number; series: number };

/**
 * Opens what the platform knows: its users, their money, and everything that Bursar has acknowledged. The series is part
 * of every id, so that several simulations can play against one installation.
 */
export function openWorld({ users, seed, series }: Options) {
  const chance = chanceOf(seed);
  const players: Player[] = [];
  for (let index = 0; index < users; index += 1) {
    const sponsor = index > 0 && chance.happens(0.7) ? chance.one(players) : undefined;
    players.push(playerOf({ index, series, sponsor }));
  }
  const faults: string[] = [];
  const counts = new Map<string, number>();
  return {
    series,
    players,
    books: openBooks(),
    /** What Bursar must have and that does not change, by its name in a comparison. */
    items: new Map<string, string>(),
    stakes: new Map<string, Stake>(),
    withdrawals: new Map<string, Withdrawal>(),
    activity: new Map<ActivityKind, number>(),
    runs: new Map<string, RunEvents>(),
    /** How often something was done. */
    counts,
    count: (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1),
    faults,
    /** Notes that something happened which must not. */
    fault: (text: string) => {
      if (faults.length < rememberedFaults) faults.push(text);
    },
  };
}

type Position = { index: number; series: number; sponsor: Player | undefined };

function playerOf({ index, series, sponsor }: Position): Player {
  const id = `S${series}-U${index}`;
  const code = `S${series.toString(36)}${index.toString(36).padStart(4, '0')}`.toUpperCase();
  // Both ways to name a sponsor are used.
  const named = index % 2 === 0 ? { id: sponsor?.item.id ?? '' } : { referralCode: sponsor?.item.referralCode ?? '' };
  return {
    item: {
      id,
      username: `${names[index % names.length]}${index}.${series}`,
      wallet: walletOf(id),
      solWalletAddress: walletOf(`${id} deposits`),
      referralCode: code,
      ...(sponsor && { sponsor: named }),
    },
    sponsor,
    joined: undefined,
    lane: Promise.resolve(),
    tickets: [],
  };
}
