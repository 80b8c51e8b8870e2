import { type PlannedChunk, payScript, runInPsql } from './bare.ts';
import { ask, begin, type Site } from './site.ts';

/** Microseconds for each stake of a chunk. */
type Chunk = { ours: number; bare: number };
export type Turn = { few: Chunk; many: Chunk };

/**
 * A chunk each by us and by psql, where there are few stakes and where there are many, until the few are paid. A day of
 * many takes so long that the machine is another one when it ends; whatever it does within a turn it does to all four.
 * The many are left as they are then: their day is not paid to the end.
 */
export async function payInTurns(small: Site[], large: Site) {
  const turns: Turn[] = [];
  const many = await open(large);
  for (const site of small) {
    const few = await open(site);
    for (let left = few.chunks; left >= 2; left -= 2) {
      const oursFirst = turns.length % 2 === 0;
      turns.push({ few: await payBoth(few, oursFirst), many: await payBoth(many, oursFirst) });
    }
  }
  return turns;
}

type Opened = Awaited<ReturnType<typeof open>>;

async function open(site: Site) {
  const run = await site.nextRun('stake-payout', 'USD');
  await ask(site.payers[0], 'plan', run.id);
  await begin(site.pool, run.id);
  const { rows } = await site.pool.query<{ chunks: number }>(
    'select count(*)::int as chunks from run_chunk where run_id = $1',
    [run.id],
  );
  return { site, run, chunks: rows[0]?.chunks ?? 0 };
}

async function payBoth(opened: Opened, oursFirst: boolean): Promise<Chunk> {
  const first = oursFirst ? await payOurs(opened) : await payBare(opened);
  const second = oursFirst ? await payBare(opened) : await payOurs(opened);
  return oursFirst ? { ours: first, bare: second } : { ours: second, bare: first };
}

async function payOurs({ site, run }: Opened) {
  const { lines } = await nextChunk(site, run.id);
  const { ms } = await ask(site.payers[0], 'pay-chunk', run.id);
  return (ms * 1_000) / Number(lines);
}

/** Without what psql takes to start, which is much beside a chunk. */
async function payBare({ site, run }: Opened) {
  const chunk = await nextChunk(site, run.id);
  const script = await payScript(run, [chunk]);
  const startMs = await runInPsql(site.url, '');
  return (((await runInPsql(site.url, script)) - startMs) * 1_000) / Number(chunk.lines);
}

async function nextChunk({ pool }: Site, runId: string) {
  const { rows } = await pool.query<PlannedChunk & { lines: bigint }>(
    `select no, after_user as after, to_user as to, base, bonus, completes, lines from run_chunk
     where run_id = $1 and paid_at is null order by no limit 1`,
    [runId],
  );
  if (!rows[0]) throw new Error(`Of run ${runId} everything is paid.`);
  return rows[0];
}
