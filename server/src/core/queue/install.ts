import { PgBoss } from 'pg-boss';

/** Creates the tables of pg-boss as their owner, so that the processes do not need the privilege to alter tables. */
export async function installQueue(ownerUrl: string) {
  const boss = new PgBoss({ connectionString: ownerUrl, max: 1, supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  try {
    await boss.getDb().executeSql(`
      grant usage on schema pgboss to bursar_app, bursar_worker;
      grant select, insert, update, delete on all tables in schema pgboss to bursar_app, bursar_worker;
      grant execute on all functions in schema pgboss to bursar_app, bursar_worker;
    `);
  } finally {
    await boss.stop({ graceful: false });
  }
}
