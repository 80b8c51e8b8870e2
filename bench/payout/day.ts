import type { Pool } from '../../server/src/core/db/db.ts';
import { type Chunk, openPsql, type PlannedChunk, payScript, planScript } from './bare.ts';
import { ask, start, type Fixture, type Step } from './fixture.ts';

/** Planning or paying, one chunk at a time. `ours` and `bare` return what a chunk cost in microseconds per stake. */
type Phase = { start(): Promise<unknown>; ours(): Promise<number>; bare(): Promise<number>; end(): Promise<unknown> };
export type Day = Awaited<ReturnType<typeof openDay>>;

const cancel = (pool: Pool, id: string) =>
  pool.query(`update run set state = 'cancelled', why = $2, ended_at = now() where id = $1`, [
    id,
    { code: 'cancelled', params: { by: 'the benchmark' } },
  ]);

/** Opens a day's payout that both sides plan. Both pay chunks of our plan; psql's plan is discarded. */
export async function openDay(fixture: Fixture) {
  const { pool } = fixture;
  const before = await chunksOfLastDay(pool);
  const active = await countActive(pool);
  const run = await fixture.nextRun('stake-payout', 'USD');
  const psqlRun = await fixture.parallelRun(run);
  const psql = openPsql(fixture.url);
  // The last chunk is small and left out. psql starts in the middle, because rows that we have just read are cached.
  const whole = before.slice(0, -1);
  const half = Math.floor(whole.length / 2);
  const ours = { planMs: 0, payMs: 0, rssMb: 0 };
  const runStep = async (step: Step, sum: 'planMs' | 'payMs') => {
    const { ms, rssMb } = await ask(fixture.payers[0], step, run.id);
    ours[sum] += ms;
    ours.rssMb = rssMb;
    return ms;
  };

  const planned = { ours: 0, bare: 0 };
  const plan: Phase = {
    async start() {
      // Before the ranges are cut, and before the first chunk.
      await runStep('plan-to-stop', 'planMs');
      await runStep('plan-to-stop', 'planMs');
    },
    async ours() {
      const ms = await runStep('plan-to-stop', 'planMs');
      planned.ours += 1;
      return forEachLine(ms, await linesOf(pool, run.id, planned.ours));
    },
    async bare() {
      planned.bare += 1;
      const range = whole[(planned.bare + half) % whole.length];
      if (!range) throw new Error('There was no day before this one.');
      const ms = await psql.run(await planScript(psqlRun, [{ ...range, no: planned.bare }]));
      return forEachLine(ms, await linesOf(pool, psqlRun.id, planned.bare));
    },
    async end() {
      await runStep('plan', 'planMs');
      await cancel(pool, psqlRun.id);
    },
  };

  const pay: Phase = {
    start: () => start(pool, run.id),
    async ours() {
      const { lines } = await nextChunk(pool, run.id);
      return forEachLine(await runStep('pay-chunk', 'payMs'), lines);
    },
    async bare() {
      const chunk = await nextChunk(pool, run.id);
      return forEachLine(await psql.run(await payScript(run, [chunk])), chunk.lines);
    },
    async end() {
      await runStep('pay', 'payMs');
      await assertPaid(pool, run.id, active);
    },
  };

  return {
    plan,
    pay,
    ours,
    warm: fixture.warm,
    chunks: before.length,
    [Symbol.asyncDispose]: () => psql[Symbol.asyncDispose](),
  };
}

const forEachLine = (ms: number, lines: bigint) => (ms * 1_000) / Number(lines);

async function chunksOfLastDay(pool: Pool) {
  const { rows } = await pool.query<Chunk>(
    `select no, after_user as after, to_user as to from run_chunk
     where run_id = (select id from run where state = 'completed' order by day desc limit 1) order by no`,
  );
  return rows;
}

async function linesOf(pool: Pool, runId: string, no: number) {
  const { rows } = await pool.query<{ lines: bigint }>('select lines from run_chunk where run_id = $1 and no = $2', [
    runId,
    no,
  ]);
  if (!rows[0]) throw new Error(`Of run ${runId} chunk ${no} is not planned.`);
  return rows[0].lines;
}

async function nextChunk(pool: Pool, runId: string) {
  const [chunk] = await nextChunks(pool, runId, 1);
  if (!chunk) throw new Error(`Of run ${runId} everything is paid.`);
  return chunk;
}

export async function nextChunks(pool: Pool, runId: string, atMost = 1_000_000) {
  const { rows } = await pool.query<PlannedChunk & { lines: bigint }>(
    `select no, after_user as after, to_user as to, base, bonus, completes, lines from run_chunk
     where run_id = $1 and paid_at is null order by no limit $2`,
    [runId, atMost],
  );
  return rows;
}

export async function countActive(pool: Pool) {
  const { rows } = await pool.query<{ active: bigint }>(`select count(*) as active from stake where status = 'Active'`);
  return rows[0]?.active ?? 0n;
}

/** Fails unless every active stake was paid as planned and the stakes that were due have ended. */
export async function assertPaid(pool: Pool, id: string, active: bigint) {
  const { rows } = await pool.query<{ right: boolean; ended: bigint }>(
    `select (select sum(completes) from run_chunk where run_id = run.id) as ended,
       run.state = 'completed' and run.lines = $2 and run.skipped = 0 and run.pays > 0 and (
         select sum(units) from transfer
         where day = run.day and kind in ('stake-base', 'stake-bonus', 'stake-loyalty', 'loyalty')
       ) = run.pays + run.sets_aside + run.releases as right
     from run where id = $1`,
    [id, active],
  );
  if (!rows[0]?.right || BigInt(rows[0].ended) !== active - (await countActive(pool)))
    throw new Error(`Run ${id} was not paid as planned.`);
}
