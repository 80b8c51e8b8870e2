import { totalmem } from 'node:os';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { conclude, isFull as full } from './history/conclude.ts';
import { rounded, summarise } from './lists/samples.ts';
import { type Gain, payInLanes } from './payout/lanes.ts';
import { ask, start, openFixture, type Fixture } from './payout/fixture.ts';
import { takeTurns, type Turn } from './payout/turns.ts';

/*
 * A day's payout planned and paid by the worker's own code, against the same statements in psql. A machine is not the
 * same from second to second: what is compared is done in turns, a chunk at a time.
 */
const aims = { ratio: 0.85, growth: 1.2, gain: 1.5 };
const largestRssMb = 200;
/** How many stakes are few, and in how many worlds of them: they are over sooner than those of many. */
const few = full ? { stakes: 100_000, worlds: 10 } : { stakes: 20_000, worlds: 9 };
const many = full
  ? [
      { stakes: 10_000_000, days: 1 },
      { stakes: 1_000_000, days: 1 },
    ]
  : [{ stakes: 100_000, days: 5 }];
/** Two lanes are compared here, for so many days; beyond it they are the same chunks, only more of them. */
const twoLanes = full ? { stakes: 1_000_000, days: 3 } : { stakes: 100_000, days: 1 };
/** What PostgreSQL's manual gives the server of a machine; its default is a tenth of a day's keys at ten million. */
const memoryMb = Math.round(totalmem() / 1024 ** 2 / 4);

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres({ memoryMb });
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const results: Awaited<ReturnType<typeof measure>>[] = [];
for (const world of many) results.push(await measure(world));
report();

async function measure({ stakes, days }: (typeof many)[number]) {
  await using worlds = new AsyncDisposableStack();
  const open = async (size: number, lanes: number) => worlds.use(await openFixture(postgres.url, size, lanes));
  const large = await open(stakes, 2);
  const small: Fixture[] = [];
  for (let world = 0; world < few.worlds; world += 1) small.push(await open(few.stakes, 1));
  // The first day finds everything cold.
  for (const fixture of [...small, large]) await payAlone(fixture);
  const turns: Turn[] = [];
  const rssMb: number[] = [];
  for (let day = 0; day < days; day += 1) {
    const taken = await takeTurns(small, large);
    console.error(`${stakes}: ${JSON.stringify({ ...figuresOf(taken.turns), ourDay: taken.ours })}`);
    turns.push(...taken.turns);
    rssMb.push(taken.rssMb);
  }
  const gains: Gain[] = [];
  for (let day = 0; stakes === twoLanes.stakes && day < twoLanes.days; day += 1) {
    const lanes = await payInLanes(large);
    console.error(`${stakes} in two lanes: ${JSON.stringify(lanes)}`);
    gains.push(...lanes.gains);
    rssMb.push(lanes.rssMb);
  }
  return { stakes, turns, gains, rssMb: Math.max(...rssMb) };
}

async function payAlone({ pool, payers, nextRun }: Fixture) {
  const { id } = await nextRun('stake-payout', 'USD');
  const planned = await ask(payers[0], 'plan', id);
  await start(pool, id);
  const paid = await ask(payers[0], 'pay', id);
  console.error(`a first day: ${Math.round(planned.ms)} + ${Math.round(paid.ms)} ms`);
}

function report() {
  const sizes = results.map(({ stakes, turns }) => ({ stakes, ...figuresOf(turns) }));
  const ratio = Math.min(...sizes.flatMap((size) => [size.ratio.middle, size.ratioOfFew.middle]));
  const growth = Math.max(...sizes.map((size) => size.growth.middle));
  const rssMb = Math.ceil(Math.max(...results.map((result) => result.rssMb)));
  const gains = results.flatMap((result) => result.gains);
  const gainOf = (way: keyof Gain) => summarise(gains.map((gain) => gain[way])).p50;
  const [gain, bareGain] = [gainOf('ours'), gainOf('bare')];
  conclude({
    bench: 'payout',
    timings: {
      ratio: { value: ratio, aim: aims.ratio, better: 'higher' },
      growth: { value: growth, aim: aims.growth, better: 'lower' },
      // Two lanes cannot gain more than the engine itself does on this machine; a short run is over before that shows.
      ...(full && {
        gain: { value: gain, aim: Math.min(aims.gain, bareGain * aims.ratio), better: 'higher' as const },
      }),
    },
    faults: rssMb <= largestRssMb ? [] : [`${rssMb} MB of memory, ${largestRssMb} allowed`],
    details: { gain, bareGain, rssMb, sizes },
  });
}

type Figure = (turn: Turn) => number;

/**
 * The middle of the turns, in each of which all four had the same machine. Beside it how far most of them lie apart, and
 * what the sums give: where a few turns cost much more than the others, the middle does not show it.
 */
function quotient(turns: Turn[], over: Figure, under: Figure) {
  const sum = (figure: Figure) => turns.reduce((all, turn) => all + figure(turn), 0);
  const { p5, p50, p95 } = summarise(turns.map((turn) => over(turn) / under(turn)));
  return { middle: p50, most: [p5, p95], ofSums: rounded(sum(over) / sum(under)) };
}

function figuresOf(turns: Turn[]) {
  const few = { ours: (turn: Turn) => turn.few.ours, bare: (turn: Turn) => turn.few.bare };
  const many = { ours: (turn: Turn) => turn.many.ours, bare: (turn: Turn) => turn.many.bare };
  return {
    turns: turns.length,
    ratio: quotient(turns, many.bare, many.ours),
    ratioOfFew: quotient(turns, few.bare, few.ours),
    growth: quotient(turns, many.ours, few.ours),
    bareGrowth: quotient(turns, many.bare, few.bare),
    microsecondsEach: summarise(turns.map(many.ours)).p50,
  };
}
