import { totalmem } from 'node:os';
import type { Pool } from '../server/src/db/db.ts';
import { prepareTemplate } from '../server/src/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { rounded } from './lists/samples.ts';
import { type Chunk, payScript, type PlannedChunk, planScript, runInPsql } from './payout/bare.ts';
import { ask, begin, openSite, type Site } from './payout/site.ts';

/* A day's payout planned and paid by the worker's own code, against the same statements in psql, day by day in turns. */
const full = process.argv.includes('--full');
const limits = { ratio: 0.85, growth: 1.2, gain: 1.5, rssMb: 200 };
/** The same days at every size, for a later day costs more than an early one; what is small is done often. */
const worlds = full
  ? [
      { stakes: 100_000, times: 5, rounds: 1 },
      { stakes: 1_000_000, times: 1, rounds: 1 },
      { stakes: 10_000_000, times: 1, rounds: 1 },
    ]
  : [
      { stakes: 20_000, times: 1, rounds: 5 },
      { stakes: 100_000, times: 1, rounds: 5 },
    ];
/** Two lanes are compared here; beyond it they are the same chunks, only more of them. */
const forTwoLanes = full ? 1_000_000 : 100_000;
/** What PostgreSQL's manual gives the server of a machine; its default is a tenth of a day's keys at ten million. */
const memoryMb = Math.round(totalmem() / 1024 ** 2 / 4);

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres({ memoryMb });
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const results: Awaited<ReturnType<typeof measure>>[] = [];
for (const world of worlds) results.push(await measure(world));
report();

type Day = { lines: number; planMs: number; payMs: number };
type OurDay = Day & { rssMb: number };

async function payOurs({ pool, payers, nextRun }: Site, lanes: number) {
  const { id } = await nextRun('stake-payout', 'USD');
  const planned = await ask(payers[0], 'plan', id);
  await begin(pool, id);
  const began = performance.now();
  const paid = await Promise.all(payers.slice(0, lanes).map((payer) => ask(payer, 'pay', id)));
  const payMs = performance.now() - began;
  const lines = await assertPaid(pool, id);
  return { lines, planMs: planned.ms, payMs, rssMb: Math.max(...paid.map(({ rssMb }) => rssMb), planned.rssMb) };
}

async function payBare({ url, pool, nextRun }: Site, lanes: number) {
  const { rows: ranges } = await pool.query<Chunk>(
    `select no, after_user as after, to_user as to from run_chunk
     where run_id = (select id from run where state = 'completed' order by day desc limit 1) order by no`,
  );
  const run = await nextRun('stake-payout', 'USD');
  const planMs = await runInPsql(url, await planScript(run, ranges));
  await begin(pool, run.id);
  const { rows: chunks } = await pool.query<PlannedChunk>(
    `select no, after_user as after, to_user as to, base, bonus, completes from run_chunk where run_id = $1 order by no`,
    [run.id],
  );
  const scripts = await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      payScript(
        run,
        chunks.filter(({ no }) => no % lanes === lane),
      ),
    ),
  );
  const began = performance.now();
  await Promise.all(scripts.map((script) => runInPsql(url, script)));
  const payMs = performance.now() - began;
  await pool.query(`update run set state = 'completed', ended_at = now() where id = $1`, [run.id]);
  const lines = await assertPaid(pool, run.id);
  return { lines, planMs, payMs };
}

/** A fast wrong payment is worth nothing. Answers how many stakes were paid: each day some have ended. */
async function assertPaid(pool: Pool, id: string) {
  const { rows } = await pool.query<{ state: string; lines: bigint; wrong: boolean }>(
    `select run.state, run.lines, (
       select coalesce(sum(units), 0) from transfer
       where day = run.day and kind in ('stake-base', 'stake-bonus', 'stake-loyalty', 'loyalty')
     ) <> run.pays + run.sets_aside + run.releases as wrong
     from run where id = $1`,
    [id],
  );
  if (rows[0]?.state !== 'completed' || rows[0].wrong) throw new Error(`Run ${id} was not paid as planned.`);
  return Number(rows[0].lines);
}

async function measure({ stakes, times, rounds }: (typeof worlds)[number]) {
  const days = { ours: [] as OurDay[], bare: [] as Day[] };
  let two: { ours: OurDay; bare: Day } | undefined;
  for (let time = 0; time < times; time += 1) {
    await using site = await openSite(postgres.url, stakes);
    // The first day finds everything cold.
    await payOurs(site, 1);
    for (let round = 0; round < rounds; round += 1) {
      days.bare.push(await payBare(site, 1));
      days.ours.push(await payOurs(site, 1));
      console.error(`${stakes}: ours ${said(days.ours.at(-1))}, bare ${said(days.bare.at(-1))}`);
    }
    if (stakes === forTwoLanes) two = { ours: await payOurs(site, 2), bare: await payBare(site, 2) };
  }
  if (two) console.error(`${stakes} in two lanes: ours ${said(two.ours)}, bare ${said(two.bare)}`);
  return { stakes, ...days, two };
}

function said(way: Day | undefined) {
  return way ? `${Math.round(way.planMs)} + ${Math.round(way.payMs)} ms for ${way.lines}` : '';
}

function report() {
  // The fastest of the days: what it takes when nothing else wants the processor.
  const cost = (days: Day[]) => Math.min(...days.map(({ lines, planMs, payMs }) => (planMs + payMs) / lines));
  const pay = (days: Day[]) => Math.min(...days.map(({ lines, payMs }) => payMs / lines));
  const table = results.map(({ stakes, ours, bare }) => ({
    stakes,
    ratio: rounded(cost(bare) / cost(ours)),
    microsecondsEach: rounded(cost(ours) * 1_000),
    bareMicrosecondsEach: rounded(cost(bare) * 1_000),
    perSecond: Math.round(1_000 / cost(ours)),
  }));
  const each = table.map(({ microsecondsEach }) => microsecondsEach);
  const growth = rounded(Math.max(...each) / (each[0] ?? Number.NaN));
  const ratio = Math.min(...table.map((one) => one.ratio));
  const rssMb = Math.round(Math.max(...results.flatMap(({ ours }) => ours.map((one) => one.rssMb))));
  const twice = results.find(({ two }) => two);
  const gain = twice?.two ? rounded(pay(twice.ours) / pay([twice.two.ours])) : 0;
  const bareGain = twice?.two ? rounded(pay(twice.bare) / pay([twice.two.bare])) : 0;
  // Two lanes cannot gain more than the engine itself does on this machine; a short run is over before that shows.
  const enough = !full || gain >= Math.min(limits.gain, bareGain * limits.ratio);
  const passed = ratio >= limits.ratio && growth <= limits.growth && enough && rssMb <= limits.rssMb;
  console.log(JSON.stringify({ bench: 'payout', ratio, growth, gain, bareGain, rssMb, limits, sizes: table, passed }));
  if (!passed) process.exitCode = 1;
}
