import type { LimitKind } from '../contract/src/approvals.ts';
import type { JobName } from '../contract/src/run-kinds.ts';
import type { Reason } from '../contract/src/runs-reasons.ts';
import pg from 'pg';
import { sealAuditWith } from '../server/src/core/audit/key.ts';
import { connect } from '../server/src/core/db/db.ts';
import { testConfig } from '../server/src/core/testing/config.ts';

type Installation = { databaseUrl: string };
type Owner = Pick<ReturnType<typeof connect>, 'database' | 'pool'>;

/** Runs work as the owner of the database, for changes that come from the platform and not from an administrator. */
export async function withOwner<T>(environment: Installation, work: (owner: Owner) => Promise<T>) {
  sealAuditWith(testConfig(environment.databaseUrl).audit.key);
  const owner = connect({
    url: environment.databaseUrl,
    connections: 1,
    statementTimeoutMs: 60_000,
    onLostConnection: () => undefined,
  });
  try {
    return await work(owner);
  } finally {
    // Kysely closes a pool only if it has used it.
    await owner.pool.end();
  }
}

/** Stores settings regardless of earlier tests, and voids pending requests to change them. */
export const storeJob = (environment: Installation, job: JobName, settings: object) =>
  withOwner(environment, async ({ pool }) => {
    await pool.query(
      `update approval set state = 'void', decided_at = now() where kind = 'settings' and state = 'waiting'
         and subject_id in (select id from job_settings_change where job = $1)`,
      [job],
    );
    const { rows } = await pool.query<{ version: number }>(
      `insert into job_settings (job, version, settings, effective_from)
       select $1, max(version) + 1, $2, '1970-01-01' from job_settings where job = $1 returning version`,
      [job, JSON.stringify(settings)],
    );
    return rows[0]?.version ?? 0;
  });

/** Returns the initial settings of an installation: versions are immutable, so the first still exists. */
export const installedJob = (environment: Installation, job: JobName) =>
  withOwner(environment, async ({ pool }) => {
    const { rows } = await pool.query<{ settings: Record<string, unknown> }>(
      'select settings from job_settings where job = $1 and version = 1 and saved_by is null',
      [job],
    );
    return rows[0]?.settings ?? {};
  });

/** Sets a limit in whole units of every asset that has one. */
export const setLimit = (environment: Installation, kind: LimitKind, amount: number) =>
  withOwner(environment, ({ pool }) =>
    pool.query(
      `insert into approval_limit (kind, asset, version, limit_units)
       select kind, asset, max(version) + 1, $2::bigint * 1000000 from approval_limit
       where kind = $1::limit_kind group by kind, asset`,
      [kind, amount],
    ),
  );

const enoughForTests = 1_000_000;

/** Lets one administrator, and the schedule, pay and reverse as often as tests need. */
export async function liftLimits(environment: Installation) {
  await setLimit(environment, 'alone', enoughForTests);
  await setLimit(environment, 'schedule', enoughForTests);
}

/** Adds an Admin who can approve, as an account from the command line of the server can. Nobody can sign in with it. */
export const addApprover = (environment: Installation, username: string) =>
  withOwner(environment, ({ pool }) =>
    pool.query(
      `with added as (insert into admin (username, role) values ($1, 'Admin') returning id),
         credential as (
           insert into admin_credential (admin_id, password_hash, temporary) select id, '', false from added
         )
       insert into admin_authority (admin_id, cause) select id, 'created' from added`,
      [username],
    ),
  );

/** Voids the requests to confirm accounts of other tests, because Home shows a notice for each. */
export const forgetNewAccounts = (environment: Installation) =>
  withOwner(environment, ({ pool }) =>
    pool.query(`update approval set state = 'void', decided_at = now() where kind = 'account' and state = 'waiting'`),
  );

/** Leaves a run unfinished, as when an administrator cancels it. */
export async function cancelRun(pool: Owner['pool'], id: string | undefined) {
  const why: Reason = { code: 'cancelled', params: { by: 'ines.moreau' } };
  await pool.query(`update run set state = 'cancelled', why = $2, ended_at = now() where id = $1`, [id, why]);
}

/**
 * Reopens the payout of a day that was imported with the ledger, as if it had been left unfinished: stakes that it has
 * paid are skipped. All later days wait for it.
 */
export const reopenPayout = (environment: Installation, day: string) =>
  withOwner(environment, async ({ pool }) => {
    const { rows } = await pool.query<{ id: string }>(
      `insert into run (kind, period, day, part, asset, settings, settings_version, as_of)
       values ('stake-payout', $1::date::text, $1::date, 0, 'USD', '{}', 1, now()) returning id`,
      [day],
    );
    const id = rows[0]?.id;
    await pool.query(
      `insert into run_chunk (run_id, no, after_user, to_user, digest, lines, skipped, budget, base, bonus, loyalty,
         closing, unranked, withheld, unshared, rounded, largest, completes, returned, paid_at, transfers)
       values ($1, 1, '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, now(), 0)`,
      [id],
    );
    await cancelRun(pool, id);
    // This run was never started, so its chunk, by which the day counts as paid in part, would be removed.
    await pool.query(`delete from pgboss.schedule where name = 'runs.delete-plans'`);
  });

/** Locks chunks of a run, so that it does not finish before a test sees it running. Returns the unlock function. */
export async function holdChunks({ databaseUrl: connectionString }: Installation, runId: string, from = 1) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('begin');
  await client.query('select from run_chunk where run_id = $1 and no >= $2 for update', [runId, from]);
  return () => client.end();
}

/** Makes the database refuse the transfers of one chunk, and returns a function that ends this. */
export async function refuseTransfersOf(environment: Installation, runId: string, chunk: number) {
  await withOwner(environment, async ({ pool }) => {
    const { rows } = await pool.query<{ user: string }>(
      'select to_user as user from run_chunk where run_id = $1 and no = $2',
      [runId, chunk],
    );
    await pool.query(`
      create function refuse_transfer() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
      create trigger refuse_transfer before insert on transfer for each row
      when (new.user_id = '${rows[0]?.user}') execute function refuse_transfer()`);
  });
  return () =>
    withOwner(environment, async ({ pool }) => void (await pool.query('drop function refuse_transfer cascade')));
}
