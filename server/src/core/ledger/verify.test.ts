import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { findNewDifferences, ledgerOf, verifyBooks } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runCommand } from '#server/core/testing/process.ts';
import { deposit } from '#server/core/testing/transfers.ts';

const environment = await testDatabase();
const { posted } = ledgerOf(environment);
for (const username of ['mira', 'okoro', 'fjord']) {
  const { id: userId } = await addUser(environment.owner, { username });
  const reward = { day: '2026-11-09', causeId: userId, userId } as const;
  await posted(
    deposit({ userId, units: 10_000n + BigInt(username.length) }),
    deposit({ userId, asset: 'SLX' }),
    deposit({ ...reward, kind: 'gmp', asset: 'GMP', debit: 'gmp_pool' }),
    deposit({ ...reward, kind: 'rank-bonus', debit: 'rank_bonuses' }),
    deposit({ ...reward, kind: 'referral', debit: 'referral_bonuses' }),
    deposit({ userId: null, credit: 'treasury' }),
  );
}

test('an intact ledger is sound, and the command reports it', async () => {
  expect(await verifyBooks(environment.database)).toEqual({ sound: true, transfers: 18n });
  const verify = (...options: string[]) => runCommand(environment.url, ['ledger', 'verify', ...options]);
  const sound = (count: string) => ({
    code: 0,
    stdout: `The ledger is sound: ${count}, every balance and total is what they make it.\n`,
  });
  expect(await verify()).toMatchObject(sound('18 transfers (all)'));
  expect(await verify()).toMatchObject(sound('0 transfers (since the last verification)'));
  expect(await verify('--full')).toMatchObject(sound('18 transfers (all)'));
});

/** Changes that someone with full access to the database could make. */
const faults = [
  [
    'a total that is too high',
    'update user_total set referral_bonus_usd = referral_bonus_usd + 1',
    'the totals of a user differ',
  ],
  [
    'a total copied from another user',
    `
    update user_total as one set available_usd = other.available_usd from user_total as other
    where (one.user_id, other.user_id) in (select min(user_id::text)::uuid, max(user_id::text)::uuid from user_total)`,
    'the totals of a user differ',
  ],
  [
    'an increased transfer',
    "update transfer set units = units + 1 where kind = 'referral'",
    'the totals of a user differ',
  ],
  [
    'an increased transfer between platform accounts',
    'update transfer set units = units + 1 where user_id is null',
    'a balance differs',
  ],
  ['a deleted transfer', "delete from transfer where kind = 'rank-bonus'", 'the totals of a user differ'],
  ['a balance that is too high', `insert into ledger_balance values ('treasury', 'USD', 1)`, 'do not add up to zero'],
  [
    'a balance moved to another account',
    `insert into ledger_balance values ('treasury', 'USD', 1), ('outside', 'USD', -1)`,
    'a balance differs',
  ],
  ['a total of every user that is too high', 'update user_total set slx = slx + 1', 'the totals of all users differ'],
  ['a wrong counter', `insert into transfer_count values ('gmp', 1)`, 'a transfer count is wrong'],
  [
    'a reversal of another amount',
    `
    insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units, reverses, reverses_day)
    select day, kind, cause_id, part, user_id, asset, credit, debit, units - 1, id, day from transfer where kind = 'referral' limit 1`,
    'does not match the transfer that it reverses',
  ],
  ['a deleted key', `delete from transfer_once where kind = 'referral'`, 'a key that forbids a second payment'],
  [
    'a second reversal',
    `insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units, reverses, reverses_day)
    select day + n, kind, cause_id, part, user_id, asset, credit, debit, units, id, day
    from transfer cross join generate_series(0, 1) as n where kind = 'referral'`,
    'reversed more than once',
  ],
  [
    'a withdrawal without a held amount',
    `insert into withdrawal (user_id, amount_usd, wallet, balance_usd, gmp_shares, prev_slx, slx_points)
    select user_id, 1, 'w', 0, 0, 0, 0 from user_total limit 1`,
    'the held balances differ',
  ],
  [
    'a stake without a staked amount',
    `insert into stake (stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, ends_on)
    select 'S', user_id, (select id from stake_plan limit 1), 1, 0, 1, 1, now() from user_total limit 1`,
    'the staked balances differ',
  ],
  [
    'a payment that was posted twice',
    `insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
    select day, kind, cause_id, part + 10, user_id, asset, debit, credit, units from transfer where kind = 'gmp' limit 1`,
    'a payment was posted twice',
  ],
  [
    'a referral bonus that was posted twice',
    `insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
    select day + 1, kind, cause_id, part + 1, user_id, asset, debit, credit, units
    from transfer where kind = 'referral' limit 1`,
    'a payment was posted twice',
  ],
  ...(
    [
      ['deposit', 'outside', 'available'],
      ['adjustment', 'treasury', 'available'],
      ['receivable', 'receivable', 'available'],
      ['withdrawal', 'available', 'held'],
      ['task', 'task_rewards', 'available'],
      ['stake', 'available', 'staked'],
    ] as const
  ).map(
    ([kind, debit, credit]) =>
      [
        `a transfer of the kind ${kind} that nothing explains`,
        `insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
        select current_date, '${kind}', uuid_v7(), 0, user_id, 'USD', '${debit}', '${credit}', 1 from user_total limit 1`,
        'is not what was posted for it',
      ] as const,
  ),
  [
    'a deposit without its transfer',
    `insert into deposit (id, user_id, asset, units) select uuid_v7(), user_id, 'USD', 1 from user_total limit 1`,
    'a deposit is not what was posted',
  ],
  [
    'a receivable without its transfer',
    `insert into receivable (run_id, user_id, asset, units) select uuid_v7(), user_id, 'USD', 1 from user_total limit 1`,
    'a receivable is not what was posted',
  ],
  [
    'an adjustment without its transfer',
    `insert into adjustment (id, user_id, asset, units, account, other_account, reason, made_by, posted_at)
    select uuid_v7(), user_id, 'USD', 1, 'available', 'treasury', 'x', user_id, now() from user_total limit 1`,
    'an adjustment is not what was posted',
  ],
] as const;

/** Changes of rows that were verified before: nothing lists them, so only a full verification reads them again. */
const inOldRows = new Set<string>([
  'a total that is too high',
  'a total copied from another user',
  'an increased transfer',
  'an increased transfer between platform accounts',
  'a deleted transfer',
  'a total of every user that is too high',
  'a deleted key',
]);

test.each(faults)('%s is found', async (what, statement, found) => {
  const undone = environment.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql.raw(statement).execute(tx);
    const verdict = await verifyBooks(tx);
    expect(verdict.sound).toBe(false);
    expect(verdict.sound ? '' : verdict.faults.join('\n')).toContain(found);
    const differences = await findNewDifferences(tx);
    const isFound = differences.some((difference) => difference.includes(found));
    expect({ what, isFound }).toEqual({ what, isFound: !inOldRows.has(what) });
    throw new Error('Changed my mind.');
  });
  await expect(undone).rejects.toThrow('Changed my mind.');
});

test('the command reports what is wrong and where', async () => {
  await using db = await testDatabase();
  const user = randomUUID();
  await db.ownerPool.query(`
    begin; set local session_replication_role = replica;
    insert into user_total (user_id, slx) values ('${user}', 1);
    commit`);
  const { code, stderr } = await runCommand(db.url, ['ledger', 'verify']);
  expect(code).toBe(1);
  expect(stderr).toContain('The ledger is not sound.');
  expect(stderr).toContain(`the totals of a user differ from their transfers: ${user}`);
});
