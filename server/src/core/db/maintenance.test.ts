import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { isUnderMaintenance } from './maintenance.ts';

const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());

const switchTo = (active: boolean) =>
  sql`update maintenance set active = ${active}, ends_at = ${active ? sql`now() + interval '1 hour'` : null}`.execute(
    db.owner,
  );
/** Fails immediately if another transaction holds a lock on the row. */
const lockNow = () => sql`select from maintenance for update nowait`.execute(db.owner);
const lockNotAvailable = { code: '55P03' };

test('isUnderMaintenance follows the switch', async () => {
  expect(await isUnderMaintenance(db.database)).toBe(false);
  await switchTo(true);
  expect(await isUnderMaintenance(db.database)).toBe(true);
  await switchTo(false);
});

test('the switch waits for a transaction that read it with the lock, and not for one without', async () => {
  await db.database.transaction().execute(async (tx) => {
    expect(await isUnderMaintenance(tx)).toBe(false);
    await lockNow();
    expect(await isUnderMaintenance(tx, { lock: 'share' })).toBe(false);
    await expect(lockNow()).rejects.toMatchObject(lockNotAvailable);
  });
  await lockNow();
});
