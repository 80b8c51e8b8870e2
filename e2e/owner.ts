import { connect } from '../server/src/db/db.ts';
import type { House } from './house.ts';

type Owner = Pick<ReturnType<typeof connect>, 'database' | 'pool'>;

/** For what the platform does and no administrator can: it comes from outside. */
export async function withOwner<T>(house: House, work: (owner: Owner) => Promise<T>) {
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
