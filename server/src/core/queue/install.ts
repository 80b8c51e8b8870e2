import { PgBoss } from 'pg-boss';
import { narrowRights, refusePlanted } from './rights.ts';

/**
 * Creates the tables of pg-boss as their owner, so that the processes do not need the privilege to alter tables. Throws
 * before pg-boss starts if someone has planted a command in them.
 */
export async function installQueue(ownerUrl: string) {
  const boss = new PgBoss({ connectionString: ownerUrl, max: 1, supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await refusePlanted(ownerUrl);
  await boss.start();
  try {
    await boss.getDb().executeSql(`begin; ${narrowRights}; ${notifyAlways}; commit`);
  } finally {
    await boss.stop({ graceful: false });
  }
}

/** An earlier version created queues that do not notify the workers, and the processes may not change a queue. */
const notifyAlways = 'update pgboss.queue set notify = true where not notify';
