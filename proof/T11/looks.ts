import type { Chance } from '../processes/chance.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** When a worker looks, by the true clock and by its own, and how far it gets. */
export type Look = { truly: Date; seen: Date; triggers: boolean; works: boolean; twice: boolean };

const errors = [hourMs, -hourMs, dayMs, -dayMs];

/**
 * From one time to another at irregular distances, some looks a day: now and then two soon after each other, now and
 * then none for days. Once in a while the clock goes wrong for some looks, and is put right again, and once
 * in a while what is started is not worked off for some.
 */
export function* looks(from: Date, to: Date, chance: Chance): Generator<Look> {
  let wrongFor = 0;
  let errorMs = 0;
  let stalledFor = 0;
  for (let at = from.getTime(); at < to.getTime(); at += stepMs(chance)) {
    if (wrongFor > 0) wrongFor -= 1;
    else if (chance.happens(0.06)) {
      wrongFor = 1 + chance.whole(6);
      errorMs = chance.one(errors);
    } else errorMs = 0;
    if (stalledFor > 0) stalledFor -= 1;
    else if (chance.happens(0.05)) stalledFor = 1 + chance.whole(8);
    const works = stalledFor === 0;
    const seen = new Date(at + errorMs);
    yield { truly: new Date(at), seen, triggers: chance.happens(0.95), works, twice: chance.happens(0.1) };
  }
}

function stepMs(chance: Chance) {
  if (chance.happens(0.03)) return dayMs + chance.below(4 * dayMs);
  if (chance.happens(0.2)) return minuteMs + chance.below(5 * minuteMs);
  return chance.below(12 * hourMs);
}
