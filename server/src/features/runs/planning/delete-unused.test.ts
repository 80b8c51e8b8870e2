import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addCrowd } from '#server/core/testing/crowd.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { runsOf, setRunLimit, steeringOf } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';
import { deleteUnusedPlans } from './delete-unused.ts';

test('three previews leave one plan: lines of plans that were never started are deleted, their totals stay', async () => {
  const db = await testDatabase();
  const runs = runsOf(db, { linesInChunk: 10 });
  await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 15n);
  await setRunLimit(db.owner, 10n ** 15n);
  await addCrowd(db.owner, { users: 25, placedOn: '2026-03-01' });
  const now = new Date('2026-03-11T12:00:00Z');
  const preview = async () => {
    const { id } = await runs.create('stake-payout', now);
    return runs.plan(id);
  };

  const unused = [await preview()];
  await steeringOf(db).steer(unused[0]?.id ?? '', 'cancel');
  unused.push(await preview());
  await steeringOf(db).steer(unused[1]?.id ?? '', 'cancel');
  const paid = await preview();
  await runs.start(paid.id);
  await runs.pay(paid.id);
  const interrupted = await runs.create('stake-payout', new Date('2026-03-12T12:00:00Z'));
  await runs.plan(interrupted.id);
  await runs.start(interrupted.id);
  await steeringOf(db).steer(interrupted.id, 'cancel');

  await deleteUnusedPlans(db.worker, new AbortController().signal);
  const { rows } = await sql`select run.id, count(line.run_id)::int as lines,
      (select count(*)::int from run_chunk where run_id = run.id) as chunks
    from run left join run_line as line on line.run_id = run.id group by run.id order by run.created_at`.execute(
    db.owner,
  );
  expect(rows).toEqual([
    ...unused.map(({ id }) => ({ id, lines: 0, chunks: 0 })),
    { id: paid.id, lines: 25, chunks: 3 },
    { id: interrupted.id, lines: 25, chunks: 3 },
  ]);
  for (const { id, planHash, pays } of unused) {
    expect(await runs.read(id)).toMatchObject({ planHash, pays, lines: 25n });
    expect(planHash).toBe(paid.planHash);
  }
  for (const id of [paid.id, interrupted.id]) {
    await expect(sql`delete from run_line where run_id = ${id}`.execute(db.worker)).rejects.toMatchObject({
      code: 'BU002',
    });
  }
  await ledgerOf(db).expectSound();
  await db[Symbol.asyncDispose]();
});
