import { totalmem } from 'node:os';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { conclude, isFull as full } from './history/conclude.ts';
import { rounded, summarize } from './lists/samples.ts';
import { type Gain, payWithWorkers } from './payout/workers.ts';
import { ask, start, openFixture, type Fixture } from './payout/fixture.ts';
import { takeTurns, type Turn } from './payout/turns.ts';

/*
 * Compares a day's payout that the worker's code plans and pays with the same statements in psql. The speed of a
 * machine varies from second to second, so the two alternate, one chunk at a time.
 */
const aims = { ratio: 0.85, growth: 1.2, gain: 1.5 };
const largestRssMb = 200;
/** The small size, and the number of databases of that size: a small day has fewer chunks than a large one. */
const few = full ? { stakes: 100_000, databases: 10 } : { stakes: 20_000, databases: 9 };
const many = full
  ? [
      { stakes: 10_000_000, days: 1 },
      { stakes: 1_000_000, days: 1 },
    ]
  : [{ stakes: 100_000, days: 5 }];
/** The size and the number of days for comparing two workers; larger sizes only have more of the same chunks. */
const twoLanes = full ? { stakes: 1_000_000, days: 3 } : { stakes: 100_000, days: 1 };
/** A quarter of the memory, as PostgreSQL recommends; its default holds a tenth of the keys of ten million stakes. */
const memoryMb = Math.round(totalmem() / 1024 ** 2 / 4);

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres({ memoryMb });
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const results: Awaited<ReturnType<typeof measure>>[] = [];
for (const size of many) results.push(await measure(size));
report();

async function measure({ stakes, days }: (typeof many)[number]) {
  await using fixtures = new AsyncDisposableStack();
  const open = async (size: number, workers: number) => fixtures.use(await openFixture(postgres.url, size, workers));
  const large = await open(stakes, 2);
  const small: Fixture[] = [];
  for (let count = 0; count < few.databases; count += 1) small.push(await open(few.stakes, 1));
  // The first day runs on cold caches and is not measured.
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
    const workers = await payWithWorkers(large);
    console.error(`${stakes} by two workers: ${JSON.stringify(workers)}`);
    gains.push(...workers.gains);
    rssMb.push(workers.rssMb);
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
  const gainOf = (way: keyof Gain) => summarize(gains.map((gain) => gain[way])).p50;
  const [gain, bareGain] = [gainOf('ours'), gainOf('bare')];
  conclude({
    bench: 'payout',
    timings: {
      ratio: { value: ratio, aim: aims.ratio, better: 'higher' },
      growth: { value: growth, aim: aims.growth, better: 'lower' },
      // Two workers cannot gain more than psql does on this machine; the short form ends too soon to show it.
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
 * Returns the median over the turns, in each of which all four measurements had the same machine, and the percentiles
 * 5 and 95. The quotient of the sums shows a few expensive turns that the median hides.
 */
function quotient(turns: Turn[], over: Figure, under: Figure) {
  const sum = (figure: Figure) => turns.reduce((all, turn) => all + figure(turn), 0);
  const { p5, p50, p95 } = summarize(turns.map((turn) => over(turn) / under(turn)));
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
    microsecondsEach: summarize(turns.map(many.ours)).p50,
  };
}
