import { totalmem } from 'node:os';
import type { Pool } from '../server/src/db/db.ts';
import { prepareTemplate } from '../server/src/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { rounded, summarise } from './lists/samples.ts';
import { type Chunk, payScript, type PlannedChunk, planScript, runInPsql } from './payout/bare.ts';
import { ask, begin, openSite, type Site } from './payout/site.ts';
import { payInTurns, type Turn } from './payout/turns.ts';

/*
 * A day's payout planned and paid by the worker's own code, against the same statements in psql. A machine is not the
 * same from minute to minute: what is compared is paid one after the other, many stakes between two times a few.
 */
const full = process.argv.includes('--full');
const limits = { ratio: 0.85, growth: 1.2, gain: 1.5, rssMb: 200 };
/** How many are few, and in how many worlds of them a day is paid before and after one of many. */
const few = full ? { stakes: 100_000, times: 3 } : { stakes: 20_000, times: 1 };
const many = full
  ? [
      { stakes: 1_000_000, rounds: 3 },
      { stakes: 10_000_000, rounds: 1 },
    ]
  : [{ stakes: 100_000, rounds: 5 }];
/** Two lanes are compared here; beyond it they are the same chunks, only more of them. */
const forTwoLanes = full ? 1_000_000 : 100_000;
/** What PostgreSQL's manual gives the server of a machine; its default is a tenth of a day's keys at ten million. */
const memoryMb = Math.round(totalmem() / 1024 ** 2 / 4);

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres({ memoryMb });
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const results: Awaited<ReturnType<typeof measure>>[] = [];
for (const world of many) results.push(await measure(world));
report();

type Day = { lines: number; planMs: number; payMs: number };
type OurDay = Day & { rssMb: number };
type Pair = { bare: Day; ours: OurDay };
/** The same day of both sizes: a later one costs more. */
type Round = { few: Pair[]; many: Pair };

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

async function measure({ stakes, rounds: howMany }: (typeof many)[number]) {
  await using worlds = new AsyncDisposableStack();
  const open = async (size: number) => worlds.use(await openSite(postgres.url, size));
  const large = await open(stakes);
  const small = await Promise.all(Array.from({ length: 2 * few.times }, () => open(few.stakes)));
  // The first day finds everything cold.
  for (const site of [...small, large]) await payOurs(site, 1);
  const rounds: Round[] = [];
  for (let round = 0; round < howMany; round += 1) {
    const before = await payPairs(small.slice(0, few.times), few.stakes);
    const [pair] = await payPairs([large], stakes);
    const after = await payPairs(small.slice(few.times), few.stakes);
    if (pair) rounds.push({ few: [...before, ...after], many: pair });
  }
  const two = stakes === forTwoLanes ? await payInTwoLanes(large, stakes) : undefined;
  return { stakes, rounds, two, turns: full ? await payInTurns(small, large) : [] };
}

async function payInTwoLanes(large: Site, stakes: number) {
  const two = { ours: await payOurs(large, 2), bare: await payBare(large, 2) };
  console.error(`${stakes} in two lanes: ours ${said(two.ours)}, bare ${said(two.bare)}`);
  return two;
}

async function payPairs(sites: Site[], stakes: number) {
  const pairs: Pair[] = [];
  for (const site of sites) {
    await cleanUp(site);
    const bare = await payBare(site, 1);
    await cleanUp(site);
    const pair = { bare, ours: await payOurs(site, 1) };
    console.error(`${stakes}: ours ${said(pair.ours)}, bare ${said(pair.bare)}`);
    pairs.push(pair);
  }
  return pairs;
}

/** Else the database cleans up after the one while the other pays: after the bare statements, which are first, during ours. */
async function cleanUp({ pool }: Site) {
  await pool.query('vacuum (analyze)');
}

function said({ planMs, payMs, lines }: Day) {
  return `${Math.round(planMs)} + ${Math.round(payMs)} ms for ${lines}`;
}

function report() {
  const all = results.flatMap(({ rounds }) => rounds);
  const sizes = [
    { ...figuresOf(all.flatMap((round) => round.few)), stakes: few.stakes, growth: 1, bareGrowth: 1 },
    ...results.map(({ stakes, rounds, turns }) => ({
      ...figuresOf(rounds.map((round) => round.many)),
      stakes,
      growth: growthOf(rounds, 'ours'),
      bareGrowth: growthOf(rounds, 'bare'),
      ...(turns.length > 0 && { inTurns: figuresInTurns(turns) }),
    })),
  ];
  const growth = Math.max(...sizes.map((size) => size.growth));
  const ratio = Math.min(...sizes.map((size) => size.ratio));
  const days = all.flatMap((round) => [...round.few, round.many]);
  const rssMb = Math.round(Math.max(...days.map(({ ours }) => ours.rssMb)));
  const { gain, bareGain } = gainOfTwo();
  // Two lanes cannot gain more than the engine itself does on this machine; a short run is over before that shows.
  const enough = !full || gain >= Math.min(limits.gain, bareGain * limits.ratio);
  const passed = ratio >= limits.ratio && growth <= limits.growth && enough && rssMb <= limits.rssMb;
  console.log(JSON.stringify({ bench: 'payout', ratio, growth, gain, bareGain, rssMb, limits, sizes, passed }));
  if (!passed) process.exitCode = 1;
}

function figuresOf(pairs: Pair[]) {
  return {
    ratio: median(pairs.map(({ bare, ours }) => cost(bare) / cost(ours))),
    microsecondsEach: median(pairs.map(({ ours }) => cost(ours))),
    bareMicrosecondsEach: median(pairs.map(({ bare }) => cost(bare))),
  };
}

function growthOf(rounds: Round[], way: keyof Pair) {
  return median(rounds.map((round) => cost(round.many[way]) / median(round.few.map((pair) => cost(pair[way])))));
}

function figuresInTurns(turns: Turn[]) {
  const middle = (figure: (turn: Turn) => number) => median(turns.map(figure));
  return {
    turns: turns.length,
    ratio: middle(({ many: { ours, bare } }) => bare / ours),
    growth: middle((turn) => turn.many.ours / turn.few.ours),
    bareGrowth: middle((turn) => turn.many.bare / turn.few.bare),
  };
}

function gainOfTwo() {
  const measured = results.find(({ two }) => two);
  if (!measured?.two) throw new Error('Two lanes were not measured.');
  const { two, rounds } = measured;
  const gained = (way: keyof Pair) =>
    rounded(median(rounds.map(({ many: pair }) => payCost(pair[way]))) / payCost(two[way]));
  return { gain: gained('ours'), bareGain: gained('bare') };
}

/** Microseconds for each stake. */
function cost({ lines, planMs, payMs }: Day) {
  return ((planMs + payMs) * 1_000) / lines;
}

function payCost({ lines, payMs }: Day) {
  return (payMs * 1_000) / lines;
}

function median(values: number[]) {
  return summarise(values).p50;
}
