import { type ChildProcess, fork } from 'node:child_process';
import type { RunKind } from '../../contract/src/run-kinds.ts';
import { once } from 'node:events';
import path from 'node:path';
import { connect, type Pool } from '../../server/src/core/db/db.ts';
import { sealAuditWith } from '../../server/src/core/audit/key.ts';
import { testConfig } from '../../server/src/core/testing/config.ts';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import { cloneTemplate } from '../../server/src/core/testing/template.ts';
import { fillStakes, firstDay } from './fill.ts';

export type Fixture = Awaited<ReturnType<typeof openFixture>>;

const longestFilling = 4 * 3_600_000;

/** Opens a database with that many stakes, and one process per worker that plans and pays on it. */
export async function openFixture(postgresUrl: string, stakes: number, workers = 1) {
  const { url, drop } = await cloneTemplate(postgresUrl);
  const settings = { url, connections: 2, statementTimeoutMs: longestFilling, onLostConnection: () => undefined };
  const { database, pool } = connect(settings);
  console.error(`filling ${stakes.toLocaleString('en')} stakes …`);
  await fillStakes(pool, stakes);
  await pool.query('create extension pg_prewarm');
  sealAuditWith(testConfig(url).audit.key);
  const { id: admin } = await addAdmin(database, { username: 'bench' });
  const payers = Array.from({ length: workers }, () => fork(path.join(import.meta.dirname, 'payer.ts'), [url]));
  let day = Date.parse(firstDay);
  const nextRun = (kind: RunKind, asset: 'USD' | 'GMP') => {
    const on = new Date(day).toISOString().slice(0, 10);
    day += 86_400_000;
    return insertRun(pool, { kind, asset, on, admin });
  };
  // Only one run of a kind can be planned at a time, so this one has another kind.
  const parallelRun = async (run: Awaited<ReturnType<typeof nextRun>>) => {
    const { id } = await insertRun(pool, { kind: 'rank-bonus', asset: 'USD', on: run.day, admin });
    return { ...run, id };
  };
  return {
    url,
    pool,
    payers,
    nextRun,
    /** Loads everything into the buffers: a small database would stay there if the large one did not evict it. */
    warm: () =>
      pool.query(
        `select pg_prewarm(oid) from pg_class where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace`,
      ),
    /** Returns a second run in which the same payments can be planned at the same time. */
    parallelRun,
    async [Symbol.asyncDispose]() {
      for (const payer of payers.filter(({ exitCode }) => exitCode === null)) {
        const exited = once(payer, 'exit');
        payer.disconnect();
        await exited;
      }
      await database.destroy();
      await drop();
    },
  };
}

type NewRun = { kind: RunKind; asset: 'USD' | 'GMP'; on: string; admin: string };

/** Inserts a run of the newest settings that is to be planned. */
export async function insertRun(pool: Pool, { kind, asset, on, admin }: NewRun) {
  const { rows } = await pool.query<{ id: string; settings: unknown }>(
    `insert into run (kind, period, day, part, asset, settings, settings_version, as_of, planned_by)
     select $1::run_kind, $2::text, $2::text::date, 0, $3::asset, settings, version, ($2::text::date + 1)::timestamp at time zone 'UTC', $4 from job_settings
     where job = $1::text order by version desc limit 1 returning id, settings`,
    [kind, on, asset, admin],
  );
  const [{ id, settings } = { id: '', settings: {} }] = rows;
  const asOf = new Date(Date.parse(on) + 86_400_000);
  return {
    id,
    kind,
    period: on,
    day: on,
    part: 0,
    asset,
    settings,
    asOf,
    reverses: null,
    onlyUser: null,
    collects: 0n,
  };
}

export type Step = 'plan' | 'plan-to-stop' | 'pay' | 'pay-chunk';
type Done = { ms: number; rssMb: number } | { failed: string };

export async function ask(payer: ChildProcess | undefined, step: Step, id: string) {
  if (!payer) throw new Error('There is nobody to ask.');
  const finished = new AbortController();
  const nextEvent = (event: 'message' | 'exit') => once(payer, event, { signal: finished.signal });
  payer.send({ step, id });
  try {
    const [done] = (await Promise.race([
      nextEvent('message'),
      nextEvent('exit').then(() => [{ failed: 'It ended.' }]),
    ])) as [Done];
    if ('failed' in done) throw new Error(`${step} of run ${id}: ${done.failed}`);
    return done;
  } finally {
    finished.abort();
  }
}

/** Starts a planned run. Raises the approval limit to its size first, so that it needs no approval. */
export async function start(pool: Pool, id: string) {
  await pool.query(
    `insert into approval_limit (kind, asset, version, limit_units)
     select 'schedule', run.asset, max(version) + 1, run.pays + run.sets_aside + run.releases
     from approval_limit join run on run.id = $1 where approval_limit.kind = 'schedule' and approval_limit.asset = run.asset
     group by run.id`,
    [id],
  );
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (const statement of decideOnSchedule) await client.query(statement, [id]);
    await client.query('commit');
  } finally {
    client.release();
  }
}

/** The decision of the schedule and the start, which the database accepts in one transaction only. */
const decideOnSchedule = [
  `insert into approval (kind, subject_id, payload, digest, expires_at, asset, units)
   select 'run', id, jsonb_build_object('userUuid', null, 'facts', jsonb_build_array(
       jsonb_build_object('key', 'planHash', 'value', plan_hash))), '', now() + interval '1 hour', asset,
     pays + sets_aside + releases
   from run where id = $1`,
  `update approval set state = 'approved', rule = 'schedule', decided_at = now() where subject_id = $1`,
  `update run set state = 'running', started_at = now() where id = $1`,
];
