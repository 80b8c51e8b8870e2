import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addCrowd } from '#server/core/testing/crowd.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { runsOf, setRunLimit } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';
import { readRun } from '../reading/detail.ts';

test('12,000 stakes with one user of each chunk blacklisted since the plan: everyone else is paid, and the run says so', async () => {
  await using db = await testDatabase();
  const [runs, ledger] = [runsOf(db), ledgerOf(db)];
  const { id: adminId } = await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 15n);
  await setRunLimit(db.owner, 10n ** 15n);
  await addCrowd(db.owner, { users: 12_000, placedOn: '2026-03-01' });
  const { id } = await runs.create('stake-payout', new Date('2026-03-11T12:00:00Z'));
  const planned = await runs.plan(id);
  const { rows } = await sql<{ user: string; units: bigint }>`
    select distinct on (chunk) user_id as user, base + bonus as units from run_line where run_id = ${id}
    order by chunk, user_id desc`.execute(db.owner);
  expect(rows).toHaveLength(3);
  await runs.start(id);
  await sql`update platform_user set blacklisted_at = now(), blacklist_reason = 'Fraud'
    where id = any(${rows.map(({ user }) => user)}::uuid[])`.execute(db.owner);

  expect(await runs.pay(id)).toMatchObject({ state: 'completed', planHash: planned.planHash, pays: planned.pays });
  const missing = rows.reduce((sum, { units }) => sum + units, 0n);
  const { progress } = await readRun(db.database, id, { id: adminId });
  expect(progress).toMatchObject({ paidLines: 11_997, skippedSince: { lines: 3 }, open: { chunks: 0, lines: 0 } });
  const { rows: paid } = await sql<{ units: bigint; users: bigint }>`
    select sum(staked_earned_usd)::bigint as units, count(*) filter (where staked_earned_usd > 0) as users
    from user_total`.execute(db.owner);
  expect(paid).toEqual([{ units: planned.pays - missing, users: 11_997n }]);
  await ledger.expectSound();
}, 120_000);
