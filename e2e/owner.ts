import pg from 'pg';
import { connect } from '../server/src/db/db.ts';
import type { House } from './house.ts';

type Owner = Pick<ReturnType<typeof connect>, 'database' | 'pool'>;

/** For what the platform does and no administrator can: it comes from outside. */
export async function withOwner<T>(house: Pick<House, 'databaseUrl'>, work: (owner: Owner) => Promise<T>) {
  const owner = connect({
    url: house.databaseUrl,
    connections: 1,
    statementTimeoutMs: 60_000,
    onLostConnection: () => undefined,
  });
  try {
    return await work(owner);
  } finally {
    await owner.database.destroy();
  }
}

/** From so many dollars on a run needs a second person. */
export const setRunLimit = (house: Pick<House, 'databaseUrl'>, dollars: number) =>
  withOwner(house, ({ pool }) =>
    pool.query(
      `insert into approval_limit (kind, asset, version, limit_units)
       select 'run', 'USD', max(version) + 1, $1::bigint * 1000000 from approval_limit where kind = 'run'`,
      [dollars],
    ),
  );

/** Nobody can pay a chunk of the run until it is let go: a run of the demo would be over before anyone saw it run. */
export async function holdChunks({ databaseUrl: connectionString }: House, runId: string) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('begin');
  await client.query('select from run_chunk where run_id = $1 for update', [runId]);
  return () => client.end();
}
