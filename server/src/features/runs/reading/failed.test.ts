import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { testReason } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann', permissionSet: 'Auditor' });
const token = await server.signIn('ann');

async function addRun(kind: 'stake-payout' | 'gmp-distro', period: string) {
  const asset = kind === 'gmp-distro' ? 'GMP' : 'USD';
  const { rows } = await sql<{ id: string }>`
    insert into run (kind, period, day, part, asset, settings, settings_version, as_of)
    values (${kind}, ${period}, ${period}::date, 0, ${asset}, '{}', 1, now()) returning id`.execute(db.owner);
  const id = rows[0]?.id;
  const moveTo = (state: string) =>
    sql`
      update run set state = ${state}::run_state, why = ${testReason},
        ended_at = case when ${state}::run_state >= 'completed' then now() end
      where id = ${id}`.execute(db.owner);
  return { id, moveTo };
}

const failed = async () => (await server.call('GET', '/api/runs/failed', { token })).json['runs'];

test('a run that failed is listed until it is over', async () => {
  expect(await failed()).toEqual([]);
  const payout = await addRun('stake-payout', '2026-11-16');
  expect(await failed()).toEqual([]);
  await payout.moveTo('failed');
  const distribution = await addRun('gmp-distro', '2026-11-17');
  await distribution.moveTo('failed');
  expect(await failed()).toEqual([
    { id: distribution.id, kind: 'gmp-distro', period: '2026-11-17', reverses: null },
    { id: payout.id, kind: 'stake-payout', period: '2026-11-16', reverses: null },
  ]);
  await payout.moveTo('cancelled');
  expect(await failed()).toMatchObject([{ id: distribution.id }]);
});
