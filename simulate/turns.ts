import { chanceOf } from '../proof/processes/chance.ts';
import type { Player, World } from './world.ts';

/** How often users do each thing, out of a hundred times. */
const weights = {
  deposit: 18,
  stake: 18,
  'end a stake': 6,
  withdraw: 22,
  'open a ticket': 6,
  'write a message': 5,
  'submit a task': 6,
  'be active': 19,
} as const;

export type Kind = keyof typeof weights;

/** One thing that a user does, with every random choice that it needs. */
export type Turn = {
  no: number;
  player: Player;
  kind: Kind;
  /** A number from 0 up to 1, for an amount. */
  part: number;
  /** A whole number up to a million, to choose from a list. */
  which: number;
  /** Whether the platform sends the item twice. */
  isRepeated: boolean;
  /** Whether the user asks for more than they have. */
  isExcessive: boolean;
};

const kinds = Object.entries(weights).flatMap(([kind, weight]) => Array<Kind>(weight).fill(kind as Kind));
const firstPlayers = 5;

/** Returns what users do. The same seed gives the same turns. After half of `total` turns, all users may have joined. */
export function* turnsOf({ players }: World, { seed, total }: { seed: number; total: number }): Iterable<Turn> {
  const chance = chanceOf(seed + 1);
  for (let no = 0; ; no += 1) {
    const joining = Math.ceil((players.length * 2 * no) / total);
    yield {
      no,
      player: chance.one(players.slice(0, Math.max(firstPlayers, joining))),
      kind: chance.one(kinds),
      part: chance.below(1),
      which: chance.whole(1_000_000),
      isRepeated: chance.happens(0.05),
      isExcessive: chance.happens(0.04),
    };
  }
}
