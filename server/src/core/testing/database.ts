import { inject } from 'vitest';
import { sealAuditWith } from '#server/core/audit/key.ts';
import { connect } from '#server/core/db/db.ts';
import { holdKeys } from '#server/core/keys.ts';
import { testConfig } from './config.ts';
import { cloneTemplate } from './template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    /** The prefix of the names of this run's databases. */
    databasePrefix: string;
  }
}

/**
 * Creates a database for one test file by cloning the migrated template.
 * `database` has the rights of the HTTP process, `worker` those of the worker, and `owner` owns the tables.
 * Disposing closes the connections. The database itself is dropped when all tests are done: a drop waits for a
 * checkpoint of the whole server, which takes up to a second where writes are durable.
 */
export async function testDatabase() {
  const { url, drop } = await cloneTemplate(inject('postgresUrl'), inject('databasePrefix'));
  const settings = { url, connections: 10, statementTimeoutMs: 20_000, onLostConnection: () => undefined };
  const { database, pool } = connect({ ...settings, role: 'bursar_app' });
  const { database: worker } = connect({ ...settings, role: 'bursar_worker' });
  const { database: owner, pool: ownerPool } = connect(settings);
  const config = testConfig(url);
  sealAuditWith(config.audit.key);
  holdKeys(config);
  const close = async () => {
    await Promise.all([database.destroy(), worker.destroy(), owner.destroy()]);
  };
  return {
    url,
    config,
    database,
    worker,
    owner,
    ownerPool,
    pool,
    /** Only for tests of a missing database; all others are dropped at the end of the run. */
    async drop() {
      await close();
      await drop();
    },
    [Symbol.asyncDispose]: close,
  };
}

export type TestDatabase = Awaited<ReturnType<typeof testDatabase>>;
