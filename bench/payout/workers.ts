import { openPsql, payScript, type PlannedChunk } from './bare.ts';
import { assertPaid, countActive, nextChunks } from './day.ts';
import { ask, start, type Fixture } from './fixture.ts';

/** The speedup of two workers over one. */
export type Gain = { ours: number; bare: number };

/** Prepares to pay some chunks and returns the function that pays them. */
type Worker = (chunks: PlannedChunk[]) => Promise<() => Promise<unknown>>;

/**
 * Pays a day with one worker and with two, by our code and by psql, in two turns. The turns are long, because workers
 * that are timed together wait for the slower one, which in production happens only at the end of a day.
 */
export async function payWithWorkers(fixture: Fixture) {
  await using opened = new AsyncDisposableStack();
  const { pool, payers } = fixture;
  const active = await countActive(pool);
  const run = await fixture.nextRun('stake-payout', 'USD');
  await ask(payers[0], 'plan', run.id);
  await start(pool, run.id);

  const ours = payers.map(
    (payer): Worker =>
      async (chunks) =>
      async () => {
        for (const _ of chunks) await ask(payer, 'pay-chunk', run.id);
      },
  );
  const bare = payers.map((): Worker => {
    const psql = opened.use(openPsql(fixture.url));
    return async (chunks) => {
      const script = await payScript(run, chunks);
      return () => psql.run(script);
    };
  });

  const chunks = await nextChunks(pool, run.id);
  const quarter = Math.floor(chunks.length / 4);
  const gains: Gain[] = [];
  for (const from of [0, 2 * quarter]) {
    // Our workers always pay the first unpaid chunks, so they get the earlier part.
    const [first, second] = [chunks.slice(from, from + quarter), chunks.slice(from + quarter, from + 2 * quarter)];
    gains.push({ ours: await gainOf(ours, first), bare: await gainOf(bare, second) });
  }
  const ended = await Promise.all(payers.map((payer) => ask(payer, 'pay', run.id)));
  await assertPaid(pool, run.id, active);
  return { gains, rssMb: Math.max(...ended.map(({ rssMb }) => rssMb)) };
}

/** Pays a third of the chunks with one worker and a third with each of two, and returns the speedup. */
async function gainOf(workers: Worker[], chunks: PlannedChunk[]) {
  const third = Math.floor(chunks.length / 3);
  const one = await timeOf(workers.slice(0, 1), [chunks.slice(0, third)]);
  const two = await timeOf(workers, [chunks.slice(third, 2 * third), chunks.slice(2 * third, 3 * third)]);
  return (2 * one) / two;
}

/** Returns the time until all workers have finished. */
async function timeOf(workers: Worker[], rows: PlannedChunk[][]) {
  const ready = await Promise.all(workers.map((worker, at) => worker(rows[at] ?? [])));
  const started = performance.now();
  await Promise.all(ready.map((go) => go()));
  return performance.now() - started;
}
