import { dice } from '../../server/src/seed/dice.ts';

export type Chance = ReturnType<typeof chanceOf>;

/** The same seed makes the same choices, so that what failed once can be looked at again. */
export function chanceOf(seed: number) {
  let thrown = 0;
  const next = () => {
    thrown += 1;
    return dice(thrown, seed) / 2 ** 32;
  };
  return {
    /** From 0 up to, but never, the limit. */
    below: (limit: number) => next() * limit,
    whole: (limit: number) => Math.floor(next() * limit),
    happens: (probability: number) => next() < probability,
    one<T>(of: readonly T[]): T {
      const chosen = of[Math.floor(next() * of.length)];
      if (chosen === undefined) throw new Error('There is nothing to choose from.');
      return chosen;
    },
  };
}

/** Given with --seed, or any. */
export function seedOfThisRun() {
  const given = process.argv.find((word) => word.startsWith('--seed='));
  return given ? Number(given.slice('--seed='.length)) : Date.now() % 1_000_000;
}
