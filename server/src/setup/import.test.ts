import { expect, test } from 'vitest';
import { verifyAudit } from '#server/core/audit/audit.ts';
import { verifyLedger } from '#server/core/ledger/verification.ts';
import { findUnsealed, sealEarlierRecords } from '#server/core/audit/record-seals.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import {
  contentOf,
  expectTree,
  importedUsers,
  importInto,
  platform,
  query,
  rowsOf,
} from '#server/core/testing/imports.ts';
import { platformRows, type PlatformRow } from '#server/core/testing/platform.ts';
import { openSecret } from '#server/core/sealed-secret.ts';
import { bookQuestions, verifyBooks } from '../verify.ts';

test('an import brings everything, and the books and the tree are sound', async () => {
  await using db = await testDatabase();
  // As the first migration does.
  await db.owner.transaction().execute(sealEarlierRecords);
  const { outcome, lines } = await importInto(db, await platform());
  expect(outcome).toBe('imported');
  expect(await verifyBooks(db.database)).toMatchObject({ differences: [] });
  expect(await verifyLedger(db.worker, { form: 'incremental', questions: bookQuestions })).toMatchObject({
    differences: [],
  });
  expect(lines.filter((line) => line.includes('; Bursar '))).toHaveLength(9);
  const parts = rowsOf();
  const sumOf = (rows: PlatformRow[], column: string) => rows.reduce((sum, row) => sum + Number(row[column]), 0);
  const usd = sumOf(
    (parts['balances'] ?? []).filter(({ asset }) => asset === 'USD'),
    'amount',
  );
  const completed = sumOf(
    (parts['withdrawals'] ?? []).filter(({ status }) => status === 'Completed'),
    'amountUsd',
  );
  const pending = sumOf(
    (parts['withdrawals'] ?? []).filter(({ status }) => status === 'Pending'),
    'amountUsd',
  );
  const active = sumOf(
    (parts['stakes'] ?? []).filter(({ status }) => status === 'Active'),
    'amountUsd',
  );
  const totals = await query(
    db,
    `select count(*)::int as users, sum(available_usd + staked_usd + withdrawing_usd)::float8 / 1e6 as owned,
      sum(staked_usd)::float8 / 1e6 as staked, sum(withdrawing_usd)::float8 / 1e6 as held,
      sum(withdrawn_usd)::float8 / 1e6 as withdrawn, sum(deposit_usd)::float8 / 1e6 as deposited,
      sum(gmp_shares)::int as shares, sum(slx)::int as slx from user_total`,
  );
  expect(totals).toEqual([
    {
      users: importedUsers,
      owned: usd,
      staked: active,
      held: pending,
      withdrawn: completed,
      deposited: usd + completed,
      shares: sumOf(parts['users'] ?? [], 'gmpShares'),
      slx: sumOf(
        (parts['balances'] ?? []).filter(({ asset }) => asset === 'SLX'),
        'amount',
      ),
    },
  ]);
  await expectTree(db);
  expect(await query(db, 'select count(*)::int as waiting from team_delta')).toEqual([{ waiting: 0 }]);
  const sponsored = (parts['users'] ?? []).filter(({ sponsor }) => sponsor !== '').length;
  expect(await query(db, 'select count(*)::int as first from first_stake')).toEqual([{ first: sponsored }]);
});

test('the report is a row of the audit log, and private keys are sealed', async () => {
  await using db = await testDatabase();
  await importInto(db, await platform());
  expect(await verifyAudit(db.database)).toEqual({ sound: true, rows: 1n });
  const [entry] = await query(db, 'select action, details from audit_entry');
  expect(entry).toMatchObject({ action: 'imports.finish' });
  const details = JSON.parse(String(entry?.['details'])) as {
    files: unknown[];
    report: { source: unknown; bursar: unknown }[];
  };
  expect(details.files).toHaveLength(5);
  for (const { source, bursar } of details.report) expect(bursar).toEqual(source);
  const [secret] = (await query(
    db,
    `select id as user_id, sol_private_key from user_secret join platform_user on id = user_secret.user_id
     where platform_user.user_id = 'U57'`,
  )) as [{ userId: string; solPrivateKey: Buffer }];
  expect(
    openSecret(
      db.config.secretsKey,
      { table: 'user_secret', id: secret.userId, column: 'sol_private_key' },
      secret.solPrivateKey,
    ),
  ).toBe('private key of 57');
  const staged = ['import_user', 'import_balance', 'import_stake', 'import_withdrawal', 'import_ticket'];
  for (const table of staged) expect(await query(db, `select from ${table}`), table).toEqual([]);
});

test('NDJSON brings the same as CSV', async () => {
  await using one = await testDatabase();
  await using other = await testDatabase();
  await importInto(one, await platform());
  await importInto(other, await platform(undefined, 'ndjson'));
  expect(await contentOf(other)).toEqual(await contentOf(one));
});

test('transfers are posted for a range of users at a time, and none is left out', async () => {
  await using one = await testDatabase();
  await using other = await testDatabase();
  const folder = await platform();
  await importInto(one, folder);
  await importInto(other, folder, { usersAtOnce: 7 });
  expect(await contentOf(other)).toEqual(await contentOf(one));
  expect(await verifyBooks(other.database)).toMatchObject({ differences: [] });
});

test('every index, key and trigger is there again after an import', async () => {
  await using db = await testDatabase();
  const kept = `
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid::regclass::text !~ '^(pg_|import_)'
    union all
    select conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid) from pg_constraint
    union all
    select tgrelid::regclass || ' ' || tgname, tgenabled::text from pg_trigger where not tgisinternal
    order by 1, 2`;
  const before = await query(db, kept);
  await importInto(db, await platform());
  expect(await query(db, kept)).toEqual(before);
});

test('a second run with the same files does nothing', async () => {
  await using db = await testDatabase();
  const folder = await platform();
  await importInto(db, folder);
  const before = await contentOf(db);
  const { outcome, lines } = await importInto(db, folder);
  expect(outcome).toBe('nothing to do');
  expect(lines.join()).toContain('There is nothing to do.');
  expect(await contentOf(db)).toEqual(before);
});

test('rows that were imported before are problems in other files, and new users can name existing sponsors', async () => {
  await using db = await testDatabase();
  await importInto(db, await platform());
  const again = await importInto(db, await platform((parts) => parts['users']?.pop()));
  expect(again.outcome).toBe('problems');
  for (const code of [
    'UserExists',
    'UsernameTaken',
    'CodeTaken',
    'WalletTaken',
    'StakeExists',
    'WithdrawalExists',
    'TicketExists',
  ]) {
    expect(again.lines.join('\n'), code).toContain(`: ${code} `);
  }
  const more = await platform((parts) => {
    const added = [...platformRows(310).users].slice(0, 10);
    for (const row of added) row['sponsor'] = 'U0';
    for (const rows of Object.values(parts)) rows.splice(0);
    parts['users']?.push(...added);
  });
  const before = await query(
    db,
    `select referral_count::int as count from team join platform_user on id = team.user_id where platform_user.user_id = 'U0'`,
  );
  expect((await importInto(db, more)).outcome).toBe('imported');
  const after = await query(
    db,
    `select referral_count::int as count from team join platform_user on id = team.user_id where platform_user.user_id = 'U0'`,
  );
  expect(Number(after[0]?.['count']) - Number(before[0]?.['count'])).toBe(10);
  expect(await verifyBooks(db.database)).toMatchObject({ differences: [] });
});

test('a platform is not imported after Bursar has paid a run', async () => {
  await using db = await testDatabase();
  const [admin] = await query(db, `insert into admin (username, role) values ('payer', 'SuperAdmin') returning id`);
  await query(db, 'alter table run disable trigger user');
  await query(
    db,
    `insert into run (kind, period, day, part, asset, settings, settings_version, planned_by, as_of, started_at)
     values ('stake-payout', '2026-11-01', '2026-11-01', 0, 'USD', '{}', 1, '${String(admin?.['id'])}', now(), now())`,
  );
  await expect(importInto(db, await platform(), { dryRun: true })).rejects.toThrow(
    'Import a platform before the first run.',
  );
});

test('an import does not seal a deposit that someone with the login of the API added before it', async () => {
  await using db = await testDatabase();
  await db.owner.transaction().execute(sealEarlierRecords);
  const planted = '019c0000-0000-7000-8000-000000000001';
  await query(db, `insert into deposit (id, user_id, asset, units) values ('${planted}', null, 'USD', 1000000)`);
  expect(await importInto(db, await platform())).toMatchObject({ outcome: 'imported' });
  expect(await findUnsealed(db.owner, 'deposit')).toEqual([planted]);
});
