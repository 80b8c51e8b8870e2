import { inject } from 'vitest';
import { sealAuditWith } from '#server/audit/key.ts';
import { connect } from '#server/db/db.ts';
import { testConfig } from './config.ts';
import { cloneTemplate } from './template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/**
 * A database of its own for a test file, a clone of the migrated template.
 * `database` has the rights of the HTTP process; `owner` may do what only the owner of the tables may.
 */
export async function testDatabase() {
  const { url, drop } = await cloneTemplate(inject('postgresUrl'));
  const settings = { url, connections: 10, statementTimeoutMs: 20_000, onLostConnection: () => undefined };
  const { database, pool } = connect({ ...settings, role: 'bursar_app' });
  const { database: worker } = connect({ ...settings, role: 'bursar_worker' });
  const { database: owner, pool: ownerPool } = connect(settings);
  const config = testConfig(url);
  sealAuditWith(config.audit.key);
  return {
    url,
    config,
    database,
    worker,
    owner,
    ownerPool,
    pool,
    async [Symbol.asyncDispose]() {
      await Promise.all([database.destroy(), worker.destroy(), owner.destroy()]);
      await drop();
    },
  };
}

export type TestDatabase = Awaited<ReturnType<typeof testDatabase>>;
