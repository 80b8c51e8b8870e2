import { jobKinds } from 'contract/job-kinds.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import type { ApprovalKind } from 'contract/approvals.ts';
import type { Tx } from '#server/core/db/db.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addUser } from '#server/core/testing/user.ts';

/* What the database refuses without an approval of the same transaction, sent with the login of the API. */
const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());
const ann = await addAdmin(db.database, { username: 'ann', role: 'SuperAdmin' });
const ben = await addAdmin(db.database, { username: 'ben', role: 'SuperAdmin' });
const eve = await addAdmin(db.database, { username: 'eve' });
const sue = await addAdmin(db.database, { username: 'sue', permissionSet: 'Support' });
const user = await addUser(db.owner);

const run = (tx: Tx, text: string) => sql.raw(text).execute(tx);
const asApi = (...statements: string[]) =>
  db.database.transaction().execute(async (tx) => {
    for (const statement of statements) await run(tx, statement);
  });
const oneId = async (text: string) => (await sql.raw<{ id: string }>(text).execute(db.owner)).rows[0]?.id ?? '';
const notDecided = { code: 'BU001', message: 'NotDecided' };

/** Ann requests, and ben approves in the same transaction. */
const approve = (kind: ApprovalKind, subject: string) => [
  `insert into approval (kind, subject_id, payload, digest, requested_by, expires_at)
    values ('${kind}', '${subject}', '{"facts": []}', '', '${ann.id}', now() + interval '1 hour')`,
  `update approval set state = 'approved', rule = 'second', decided_by = '${ben.id}', decided_at = now()
    where subject_id = '${subject}' and state = 'waiting'`,
];

const limitChange = await oneId(`insert into approval_limit_change (kind, asset, version, limit_units)
  select kind, asset, version, 7 from approval_limit where kind = 'alone' and asset = 'USD' returning id`);
const settings = { enabled: true, baseReward: 90, bonusReward: 5, loyaltyReward: 5 };
const settingsChange = await oneId(`insert into job_settings_change (job, version, settings)
  values ('stake-payout', 1, '${JSON.stringify(settings)}') returning id`);
const plan = await oneId(
  `insert into stake_plan (days, daily_rate_ppm, offered) values (7, 900000, false) returning id`,
);
const promotion = await oneId(`insert into promotion_request (reason, moves)
  values ('Any', '[{"user": "${user.id}", "to": "Gold"}]') returning id`);

const insertLimit = (
  units: number,
) => `insert into approval_limit (kind, asset, version, limit_units, saved_by, approved_by)
  values ('alone', 'USD', 2, ${units}, '${ann.id}', '${ben.id}')`;
const insertSettings = (value: object, approver = `'${ben.id}'`) =>
  `insert into job_settings (job, version, settings, saved_by, approved_by, effective_from)
    values ('stake-payout', 2, '${JSON.stringify(value)}', '${ann.id}', ${approver}, '2026-01-01')`;

type Change = { what: string; kind: ApprovalKind; subject: string; statement: string; others?: string[] };
const changes: Change[] = [
  { what: 'a limit', kind: 'limit', subject: limitChange, statement: insertLimit(7), others: [insertLimit(8)] },
  {
    what: 'settings that pay more',
    kind: 'settings',
    subject: settingsChange,
    statement: insertSettings(settings),
    others: [insertSettings({ ...settings, baseReward: 91 })],
  },
  {
    what: 'a plan that is offered',
    kind: 'plan',
    subject: plan,
    statement: `update stake_plan set offered = true where id = '${plan}'`,
  },
  {
    what: 'a rank',
    kind: 'promotion',
    subject: promotion,
    statement: `update platform_user set rank = 'Gold' where id = '${user.id}'`,
    others: [`update platform_user set rank = 'Platinum' where id = '${user.id}'`],
  },
  {
    what: 'the record of a rank',
    kind: 'promotion',
    subject: promotion,
    statement: `insert into rank_change (user_id, from_rank, to_rank, reason, made_by, approved_by)
      values ('${user.id}', 'none', 'Gold', 'Any', '${ann.id}', '${ben.id}')`,
    others: [
      `insert into rank_change (user_id, from_rank, to_rank, reason, made_by, approved_by, made_at)
      values ('${user.id}', 'none', 'Gold', 'Any', '${ann.id}', '${ben.id}', '2026-01-01')`,
    ],
  },
  {
    what: 'a SuperAdmin',
    kind: 'grant',
    subject: eve.id,
    statement: `update admin set role = 'SuperAdmin' where id = '${eve.id}'`,
  },
  {
    what: 'a SuperAdmin who becomes an Admin',
    kind: 'demotion',
    subject: ben.id,
    statement: `update admin set role = 'Admin' where id = '${ben.id}'`,
  },
  {
    what: 'the deletion of an approver',
    kind: 'removal',
    subject: eve.id,
    statement: `update admin set retired_at = now() where id = '${eve.id}'`,
  },
];

test.each(changes)('$what needs an approval of the same transaction and of exactly this', async (change) => {
  const { kind, subject, statement, others = [] } = change;
  await expect(asApi(statement)).rejects.toMatchObject(notDecided);
  await asApi(...approve(kind, subject));
  await expect(asApi(statement)).rejects.toMatchObject(notDecided);
  for (const { kind: otherKind, subject: otherSubject } of changes) {
    if (otherKind === kind) continue;
    await expect(asApi(...approve(otherKind, otherSubject), statement)).rejects.toMatchObject(notDecided);
  }
  for (const wrong of others) {
    await expect(asApi(...approve(kind, subject), wrong)).rejects.toMatchObject(notDecided);
  }
  const undone = asApi(...approve(kind, subject), statement, 'select 1 / 0');
  await expect(undone).rejects.toMatchObject({ code: '22012' });
});

test('settings that pay like those before them need no approval', async () => {
  const before = (
    await sql.raw<{ settings: object }>(`select settings from job_settings where job = 'gmp-distro'`).execute(db.owner)
  ).rows[0]?.settings;
  const insert = (value: object) => `insert into job_settings (job, version, settings, saved_by, effective_from)
    values ('gmp-distro', 2, '${JSON.stringify({ ...before, ...value })}', '${ann.id}', now())`;
  for (const value of [{ enabled: true }, { amount: '1000000' }, { frequency: 'Weekly' }]) {
    await expect(asApi(insert(value))).rejects.toMatchObject(notDecided);
  }
  await asApi(insert({ time: '05:00' }));
});

test('the database and the contract know the same settings that decide what is paid', async () => {
  const known = await db.owner.selectFrom('rewardSetting').selectAll().execute();
  const ofContract = Object.entries(jobKinds).flatMap(([job, { rewardSettings }]) =>
    rewardSettings.map((field) => `${job} ${field}`),
  );
  expect(known.map(({ job, path }) => `${job} ${path.join('.')}`).toSorted()).toEqual(ofContract.toSorted());
});

const refusedAlways = [
  `insert into admin (username, role) values ('mallory', 'SuperAdmin')`,
  `insert into stake_plan (days, daily_rate_ppm, offered) values (1, 999999, true)`,
  `insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code, rank)
    values ('X', 'x', 'x', 'x', 'X', 'Gold')`,
  `insert into admin_authority (admin_id, cause) values ('${sue.id}', 'password')`,
  `insert into admin_authority (admin_id, cause, given_by) values ('${sue.id}', 'widened', '${ann.id}')`,
  `update admin set permission_set = null where id = '${sue.id}'`,
  `insert into stake (stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, ends_on)
    select 'S1', '${user.id}', id, 1, 0, days, 999999, '2027-01-01' from stake_plan where offered limit 1`,
  `insert into stake (stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, ends_on)
    select 'S1', '${user.id}', id, 1, 0, days, daily_rate_ppm, '2027-01-01' from stake_plan where id = '${plan}'`,
];

test.each(refusedAlways)('refused: %s', async (statement) => {
  await expect(asApi(statement)).rejects.toMatchObject(notDecided);
});

const notGranted = [
  `update stake_plan set daily_rate_ppm = 999999`,
  `update adjustment set units = 1`,
  `insert into adjustment (id, user_id, asset, units, account, other_account, reason, made_by, posted_at)
    values (uuid_v7(), '${user.id}', 'USD', 1, 'available', 'treasury', 'Any', '${ann.id}', now())`,
  `insert into task (user_id, post_url, title, description, reward_usd, deadline, rewarded, rewarded_at)
    values ('${user.id}', 'https://example.com', 'Any', '', 1, '2026-12-24', true, now())`,
];

test.each(notGranted)('not granted: %s', async (statement) => {
  await expect(asApi(statement)).rejects.toMatchObject({ code: '42501' });
});
