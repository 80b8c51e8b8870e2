import { rm } from 'node:fs/promises';
import { sql } from 'kysely';
import { sealAuditWith } from '../../server/src/core/audit/key.ts';
import { connect } from '../../server/src/core/db/db.ts';
import { formatDifference } from '../../contract/src/ledger-differences.ts';
import { verifyBooks } from '../../server/src/verify.ts';
import { testConfig, testVariables } from '../../server/src/core/testing/config.ts';
import { cloneTemplate, type createDatabase } from '../../server/src/core/testing/template.ts';

const longestStatementMs = 3_600_000;

export type Fixture = Awaited<ReturnType<typeof openFixture>>;

/** Opens a new database without data, or another one, and the environment of the programs that use it. */
export async function openFixture(postgresUrl: string, clone: typeof createDatabase = cloneTemplate) {
  const { url, drop } = await clone(postgresUrl);
  const settings = {
    url,
    connections: 8,
    statementTimeoutMs: longestStatementMs,
    onLostConnection: () => undefined,
  };
  const { database: owner, pool } = connect(settings);
  const environment = testVariables(url);
  sealAuditWith(testConfig(url).audit.key);
  return {
    url,
    owner,
    pool,
    environment,
    async close() {
      await owner.destroy();
      await drop();
      await rm(environment.BURSAR_AUDIT_HEAD_FILE, { force: true });
    },
  };
}

/** Returns the faults of the ledger; empty if it is sound. */
export async function faultsOf({ owner }: Pick<Fixture, 'owner'>) {
  const transaction = owner.transaction().setIsolationLevel('repeatable read');
  const verdict = await transaction.execute(async (tx) => {
    await sql`set local work_mem = '256MB'`.execute(tx);
    return verifyBooks(tx);
  });
  return verdict.differences.map(formatDifference);
}

/** Sets the amount up to which a run is paid without a second approver: on schedule, or started by an administrator. */
export function setRunLimit({ owner }: Pick<Fixture, 'owner'>, limit: bigint) {
  return sql`
    insert into approval_limit (kind, asset, version, limit_units)
    select kind, 'USD', max(version) + 1, ${limit} from approval_limit
    where kind in ('schedule', 'alone') and asset = 'USD' group by kind`.execute(owner);
}
