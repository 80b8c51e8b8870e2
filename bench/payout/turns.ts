import { type Day, openDay } from './day.ts';
import type { Fixture } from './fixture.ts';

/** The cost per stake in microseconds. */
type Cost = { ours: number; bare: number };
export type Turn = { few: Cost; many: Cost };

/**
 * In each turn, our code and psql process one chunk of a small and one of the large database each, so that other load
 * affects all four equally. The turns are spread over the large day, and every day is paid to its end.
 */
export async function takeTurns(small: Fixture[], large: Fixture) {
  await using opened = new AsyncDisposableStack();
  const open = async (fixture: Fixture) => opened.use(await openDay(fixture));
  const many = await open(large);
  const few: Day[] = [];
  for (const fixture of small) if (turnsOf(few).length < turnsIn(many)) few.push(await open(fixture));
  const planned = await inTurns('plan', few, many);
  const paid = await inTurns('pay', few, many);
  const turns = planned.map((plan, at): Turn => {
    const pay = paid[at];
    if (!pay) throw new Error('What was planned was not paid.');
    return { few: sum(plan.few, pay.few), many: sum(plan.many, pay.many) };
  });
  return { turns, ours: many.ours, rssMb: Math.max(...[...few, many].map((day) => day.ours.rssMb)) };
}

const sum = (one: Cost, other: Cost): Cost => ({ ours: one.ours + other.ours, bare: one.bare + other.bare });

/** A turn takes two chunks. A day has fewer chunks than `chunks`, those of the day before, and the last is small. */
const turnsIn = ({ chunks }: Day) => Math.floor(chunks * 0.45);
const turnsOf = (days: Day[]) => days.flatMap((day) => Array.from({ length: turnsIn(day) }, () => day));

async function inTurns(phase: 'plan' | 'pay', few: Day[], many: Day) {
  const days = turnsOf(few).slice(0, turnsIn(many));
  // Our code processes the rest of the large day between the turns, which spreads them over that day.
  const between = Math.floor((2 * turnsIn(many)) / days.length) - 2;
  const turns: Turn[] = [];
  await many[phase].start();
  for (const [at, day] of days.entries()) {
    if (day !== days[at - 1]) await day[phase].start();
    turns.push(await takeTurn(phase, { day, many, at }));
    for (let left = between; left > 0; left -= 1) await many[phase].ours();
    if (day !== days[at + 1]) await day[phase].end();
  }
  await many[phase].end();
  return turns;
}

type Who = { day: Day; many: Day; at: number };

/** Each of the four possible orders is used once in four turns. */
async function takeTurn(phase: 'plan' | 'pay', { day, many, at }: Who): Promise<Turn> {
  const oursFirst = at % 2 === 0;
  const fewFirst = at % 4 < 2;
  const before = fewFirst ? undefined : await takeBoth(many[phase], oursFirst);
  await day.warm();
  const few = await takeBoth(day[phase], oursFirst);
  return { few, many: before ?? (await takeBoth(many[phase], oursFirst)) };
}

async function takeBoth(phase: Day['plan'], oursFirst: boolean): Promise<Cost> {
  const first = await (oursFirst ? phase.ours() : phase.bare());
  const second = await (oursFirst ? phase.bare() : phase.ours());
  return oursFirst ? { ours: first, bare: second } : { ours: second, bare: first };
}
