import type { Chance } from '../processes/chance.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** One poll of a worker: when, by the true clock (`truly`) and by its own (`seen`), and how far it gets. */
export type Poll = { truly: Date; seen: Date; triggers: boolean; works: boolean; twice: boolean };

const errors = [hourMs, -hourMs, dayMs, -dayMs];

/**
 * Generates polls at irregular intervals, several a day: sometimes two in quick succession, sometimes none for days.
 * Now and then the clock is wrong for some polls, and now and then the started runs are not processed for some.
 */
export function* polls(from: Date, to: Date, chance: Chance): Generator<Poll> {
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
