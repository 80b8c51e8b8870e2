import { dice } from '../../server/src/seed/dice.ts';

export type Chance = ReturnType<typeof chanceOf>;

/** Returns a random generator. The same seed makes the same choices, so that a failure can be reproduced. */
export function chanceOf(seed: number) {
  let thrown = 0;
  const next = () => {
    thrown += 1;
    return dice(thrown, seed) / 2 ** 32;
  };
  return {
    /** A number from 0 up to the limit, exclusive. */
    below: (limit: number) => next() * limit,
    whole: (limit: number) => Math.floor(next() * limit),
    happens: (probability: number) => next() < probability,
    one<T>(of: readonly T[]): T {
      if (of.length === 0) throw new Error('There is nothing to choose from.');
      return of[Math.floor(next() * of.length)] as T;
    },
  };
}

/** Returns the number given with --seed, or an arbitrary one. */
export function seedOfThisRun() {
  const given = process.argv.find((word) => word.startsWith('--seed='));
  return given ? Number(given.slice('--seed='.length)) : Date.now() % 1_000_000;
}
