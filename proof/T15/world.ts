import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { sealEarlierRecords } from '../../server/src/core/audit/record-seals.ts';
import type { Database } from '../../server/src/core/db/db.ts';
import { decideInSql } from '../../server/src/core/testing/decisions.ts';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import { addApiKey } from '../../server/src/core/testing/api-key.ts';
import { addWithdrawal, deposit, postDeposits } from '../../server/src/core/testing/transfers.ts';
import { addUser } from '../../server/src/core/testing/user.ts';
import { updateApproved } from '../../server/src/features/withdrawals/queries.ts';

export type World = Awaited<ReturnType<typeof buildWorld>>;

/** Fills a database as Bursar does, with sealed records, and returns what is worth forging. */
export async function buildWorld(owner: Database) {
  const admin = async (params: Parameters<typeof addAdmin>[1]) => (await addAdmin(owner, params)).id;
  const ann = await admin({ username: 'ann', role: 'SuperAdmin' });
  const ben = await admin({ username: 'ben', role: 'SuperAdmin' });
  const eve = await admin({ username: 'eve', given: { by: ann, hoursAgo: 1 } });
  const sue = await admin({ username: 'sue', permissionSet: 'Support' });
  // As the first migration does.
  await owner.transaction().execute(sealEarlierRecords);
  const fay = await admin({ username: 'fay' });
  const { id: user } = await addUser(owner);
  const units = 5_000_000n;
  const paidIn = deposit({ userId: user, units });
  const brought = deposit({ userId: null, units: units * 100n, credit: 'treasury' });
  await owner.transaction().execute((tx) => postDeposits(tx, [paidIn, brought]));
  const withdrawal = await addWithdrawal(owner, { userId: user, units, wallet: 'One' });
  const approved = await addWithdrawal(owner, { userId: user, units, wallet: 'Two' });
  await owner.transaction().execute(async (tx) => {
    await decideInSql(tx, { kind: 'withdrawal', subjectId: approved, units, requestedBy: ann, decidedBy: ben });
    await updateApproved(tx, approved, { decidedBy: ben, preparedBy: ann, mode: 'manual', reference: null });
  });
  await addApiKey(owner, { scopes: ['deposits:write'] });
  const one = async (text: string) => (await sql.raw<{ id: string }>(text).execute(owner)).rows[0]?.id ?? '';
  const adjustment =
    await one(`insert into adjustment (id, user_id, asset, units, account, other_account, reason, made_by)
    values (uuid_v7(), '${user}', 'USD', 5000000, 'available', 'treasury', 'Any', '${ann}') returning id`);
  const task = await one(`insert into task (user_id, post_url, title, description, reward_usd, deadline)
    values ('${user}', 'https://example.com', 'Any', '', 5000000, '2026-12-24') returning id`);
  return {
    ann,
    ben,
    eve,
    sue,
    fay,
    user,
    deposit: paidIn.causeId,
    withdrawal,
    approved,
    adjustment,
    task,
    /** For what is added. */
    cause: randomUUID(),
    run: await addPlannedRun(owner, ann),
    secret: await one(`insert into api_key_secret (api_key_id, prefix, hash, created_by)
      select id, 't15', 'x', '${ann}' from api_key limit 1 returning id`),
    limitChange: await one(`insert into approval_limit_change (kind, asset, version, limit_units)
      values ('alone', 'USD', 1, 900000000000) returning id`),
    settingsChange: await one(`insert into job_settings_change (job, version, settings) values ('stake-payout', 1,
      '{"enabled": true, "baseReward": 100, "bonusReward": 0, "loyaltyReward": 0}') returning id`),
    plan: await one(`insert into stake_plan (days, daily_rate_ppm, offered) values (7, 900000, false) returning id`),
    promotion: await one(`insert into promotion_request (reason, moves)
      values ('Any', '[{"user": "${user}", "to": "Platinum"}]') returning id`),
  };
}

/** A planned run that pays nothing: what it would pay does not matter, because starting it is the forgery. */
async function addPlannedRun(owner: Database, admin: string) {
  return owner.transaction().execute(async (tx) => {
    // Otherwise only the planner could add its plan.
    await sql`set local session_replication_role = replica`.execute(tx);
    const { rows } = await sql<{ id: string }>`
      insert into run (kind, period, day, part, asset, settings, settings_version, as_of, planned_by, state, plan_hash,
        planned_at)
      select 'stake-payout', '2026-10-01', '2026-10-01', 0, 'USD', settings, version, '2026-10-02', ${admin}, 'planned',
        'a hash', now() from job_settings where job = 'stake-payout' and version = 1 returning id`.execute(tx);
    return rows[0]?.id ?? '';
  });
}
