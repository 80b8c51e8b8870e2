import { randomUUID } from 'node:crypto';
import { requestRecovery } from 'contract/admins-recovery.ts';
import { createAdmin, deleteAdmin, updateAdmin } from 'contract/admins.ts';
import { ApprovalKind, requestLimit } from 'contract/approvals.ts';
import { holds, Permission, PermissionSet, Role } from 'contract/core/permissions.ts';
import { createApiKey, rotateApiKey } from 'contract/integrations-keys.ts';
import { jobKinds } from 'contract/job-kinds.ts';
import { adjust } from 'contract/ledger.ts';
import { requestRepair } from 'contract/referrals.ts';
import { startRun } from 'contract/runs.ts';
import { createPlan } from 'contract/staking.ts';
import { setRewarded } from 'contract/tasks.ts';
import { requestKeyReveal } from 'contract/users-secrets.ts';
import { promoteMovers, promoteUser } from 'contract/users-ranks.ts';
import { approveWithdrawal } from 'contract/withdrawals.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import type { Tx } from '#server/core/db/db.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { decideInSql } from '#server/core/testing/decisions.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';

/* The rules of the database, and the SQL that a compromised API process could send. */
const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());
const ann = await addAdmin(db.database, { username: 'ann' });
const ben = await addAdmin(db.database, { username: 'ben' });
const user = await addUser(db.owner);
const units = 5_000_000_000n;

const needed = await db.owner.selectFrom('approvalPermission').selectAll().orderBy('kind').execute();

test('the database and the contract give every role and permission set the same permissions', async () => {
  const permissions = new Set(needed.flatMap(({ toRequest, toApprove }) => [toRequest, toApprove]));
  for (const name of permissions) {
    const permission = Permission.parse(name);
    for (const role of Role.options) {
      for (const permissionSet of [null, ...PermissionSet.options]) {
        const { rows } = await sql<{ held: boolean }>`
          select admin_holds(${role}::admin_role, ${permissionSet}::permission_set, ${permission}) as held`.execute(
          db.database,
        );
        const holder = { role, permissionSet };
        expect({ ...holder, permission, held: rows[0]?.held }).toEqual({
          ...holder,
          permission,
          held: holds(holder, permission),
        });
      }
    }
  }
});

const endpoints: Record<ApprovalKind, readonly { access: string }[]> = {
  withdrawal: [approveWithdrawal],
  adjustment: [adjust],
  task: [setRewarded],
  run: [startRun],
  settings: Object.values(jobKinds).map(({ save }) => save),
  limit: [requestLimit],
  grant: [updateAdmin, createAdmin],
  repair: [requestRepair],
  plan: [createPlan],
  promotion: [promoteUser, promoteMovers],
  demotion: [updateAdmin],
  removal: [deleteAdmin],
  account: [createAdmin, updateAdmin],
  key: [createApiKey, rotateApiKey],
  reveal: [requestKeyReveal],
  recovery: [requestRecovery],
};

test('a request of any kind needs the permission of the endpoint that makes it', () => {
  expect(needed.map(({ kind }) => kind)).toEqual(ApprovalKind.options.toSorted());
  for (const { kind: name, toRequest } of needed) {
    const kind = ApprovalKind.parse(name);
    for (const { access } of endpoints[kind]) expect({ kind, access }).toEqual({ kind, access: toRequest });
  }
});

type Payment = {
  kind: 'withdrawal' | 'adjustment' | 'task';
  /** Adds what is paid, and returns its id. */
  add: () => Promise<string>;
  pay: (tx: Tx, id: string) => Promise<unknown>;
};

const payments: Payment[] = [
  {
    kind: 'withdrawal',
    add: () => addWithdrawal(db.owner, { userId: user.id, units }),
    pay: (tx, id) =>
      sql`update withdrawal set state = 'approved', mode = 'manual', decided_at = now(), decided_by = ${ann.id}
        where id = ${id}`.execute(tx),
  },
  {
    kind: 'adjustment',
    add: () => addAdjustment(-units),
    pay: (tx, id) => sql`update adjustment set posted_at = now() where id = ${id}`.execute(tx),
  },
  {
    kind: 'task',
    add: async () => {
      const { rows } = await sql<{ id: string }>`
        insert into task (user_id, post_url, title, description, reward_usd, deadline)
        values (${user.id}, 'https://example.com', 'Any', '', ${units}, '2026-12-24') returning id`.execute(
        db.database,
      );
      return rows[0]?.id ?? '';
    },
    pay: (tx, id) =>
      sql`update task set rewarded = true, rewarded_at = now(), rewarded_by = ${ann.id} where id = ${id}`.execute(tx),
  },
];

async function addAdjustment(signed: bigint) {
  const id = randomUUID();
  await sql`insert into adjustment (id, user_id, asset, units, account, other_account, reason, made_by)
    values (${id}, ${user.id}, 'USD', ${signed}, 'available', 'treasury', 'Any', ${ann.id})`.execute(db.database);
  return id;
}

type Decision = { kind?: ApprovalKind; subject?: string; amount?: bigint };

/** Ann requests a payment, and ben approves it. */
const decide = (tx: Tx, { kind, subject, amount = units }: Decision & { kind: ApprovalKind; subject: string }) =>
  decideInSql(tx, { kind, subjectId: subject, units: amount, requestedBy: ann.id, decidedBy: ben.id });

/** Pays in the transaction of a decision, if there is one. */
const payWith = ({ kind, pay }: Payment, id: string, decision?: Decision) =>
  db.database.transaction().execute(async (tx) => {
    if (decision) await decide(tx, { kind, subject: id, ...decision });
    await pay(tx, id);
  });

const notDecided = { code: 'BU001', message: 'NotDecided' };

test.each(payments)('a $kind is not paid without a decision of the same transaction', async (payment) => {
  const id = await payment.add();
  await expect(payWith(payment, id)).rejects.toMatchObject(notDecided);
  await db.database.transaction().execute((tx) => decide(tx, { kind: payment.kind, subject: id }));
  await expect(payWith(payment, id)).rejects.toMatchObject(notDecided);
  await payWith(payment, id, {});
});

test.each(payments)('a $kind is not paid with a decision that is not about exactly this amount', async (payment) => {
  const id = await payment.add();
  for (const amount of [units - 1n, units + 1n, 0n]) {
    await expect(payWith(payment, id, { amount })).rejects.toMatchObject(notDecided);
  }
  const another = await payment.add();
  await expect(payWith(payment, id, { subject: another })).rejects.toMatchObject(notDecided);
  for (const { kind } of payments.filter((other) => other !== payment)) {
    await expect(payWith(payment, id, { kind })).rejects.toMatchObject(notDecided);
  }
});

test.each(payments)('a $kind is not paid with a request that waits or was denied', async (payment) => {
  const id = await payment.add();
  for (const state of ['waiting', 'denied']) {
    const undecided = db.database.transaction().execute(async (tx) => {
      await sql`insert into approval (kind, subject_id, payload, digest, asset, units, requested_by, expires_at)
        values (${payment.kind}, ${id}, '{}', '', 'USD', ${units}, ${ann.id}, now() + interval '1 hour')`.execute(tx);
      if (state === 'denied') {
        await sql`update approval set state = 'denied', decided_by = ${ben.id}, decided_at = now(), reason = 'No.'
          where subject_id = ${id} and state = 'waiting'`.execute(tx);
      }
      await payment.pay(tx, id);
    });
    await expect(undecided).rejects.toMatchObject(notDecided);
  }
});

test('revoking a reward also needs a decision', async () => {
  const [, , payment] = payments;
  if (!payment) throw new Error('There are no tasks.');
  const id = await payment.add();
  await payWith(payment, id, {});
  const revoke: Payment = {
    ...payment,
    pay: (tx) =>
      sql`update task set rewarded = false, rewarded_at = null, rewarded_by = null where id = ${id}`.execute(tx),
  };
  await expect(payWith(revoke, id)).rejects.toMatchObject(notDecided);
  await payWith(revoke, id, {});
});

test('rejecting a withdrawal and changing an unrewarded task need no decision', async () => {
  const withdrawal = await addWithdrawal(db.owner, { userId: user.id, units });
  await sql`update withdrawal set state = 'rejected', decided_at = now(), decided_by = ${ann.id}, reason = 'No.'
    where id = ${withdrawal}`.execute(db.database);
  const task = await payments[2]?.add();
  await sql`update task set title = 'Other' where id = ${task}`.execute(db.database);
});

test('an administrator alone cannot decide more than the limits in SQL, also not in small parts', async () => {
  const alone = (kind: 'adjustment' | 'withdrawal', amount: bigint) =>
    db.database.transaction().execute(async (tx) => {
      const subject = randomUUID();
      await sql`insert into approval (kind, subject_id, payload, digest, asset, units, requested_by, expires_at)
        values (${kind}, ${subject}, '{}', '', 'USD', ${amount}, ${ben.id}, now() + interval '1 hour')`.execute(tx);
      await sql`update approval set state = 'approved', rule = 'limit', decided_by = ${ben.id}, decided_at = now()
        where subject_id = ${subject}`.execute(tx);
    });
  const aboveLimit = { code: 'BU001', message: 'AboveLimit' };
  await expect(alone('withdrawal', 1_000_000_001n)).rejects.toMatchObject(aboveLimit);
  await alone('adjustment', 60_000_000n);
  await expect(alone('adjustment', 40_000_001n)).rejects.toMatchObject(aboveLimit);
  await alone('withdrawal', 940_000_000n);
  await expect(alone('adjustment', 1n)).rejects.toMatchObject(aboveLimit);
  await expect(alone('withdrawal', 1n)).rejects.toMatchObject(aboveLimit);
});
