import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { sealUnsealed } from './record-seals.ts';

const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());

/** Four batches. */
const deposits = 80_000;

test('sealing many new records reads each of them about once, whatever the statistics say', async () => {
  const read = await db.owner.transaction().execute(async (tx) => {
    await sql`insert into deposit (id, asset, units)
      select gen_random_uuid(), 'USD', 1 from generate_series(1, ${deposits})`.execute(tx);
    const before = await tuplesRead(tx);
    expect(await sealUnsealed(tx, ['deposit'])).toBe(deposits);
    return (await tuplesRead(tx)) - before;
  });
  expect(read).toBeLessThan(2n * BigInt(deposits));
}, 120_000);

async function tuplesRead(tx: Parameters<typeof sealUnsealed>[0]) {
  const { rows } = await sql<{ read: bigint }>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint as read
    from pg_stat_xact_user_tables where relname in ('deposit', 'record_seal')`.execute(tx);
  return BigInt(rows[0]?.read ?? 0);
}
