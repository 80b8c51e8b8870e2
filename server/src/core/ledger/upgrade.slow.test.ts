import { sql } from 'kysely';
import { afterAll, expect, inject, test } from 'vitest';
import { connect } from '#server/core/db/db.ts';
import { migrateBefore } from '#server/core/testing/earlier-version.ts';
import { runCommand } from '#server/core/testing/process.ts';
import { createDatabase } from '#server/core/testing/template.ts';

const { url, drop } = await createDatabase(inject('postgresUrl'));
const { database: owner } = connect({
  url,
  connections: 4,
  statementTimeoutMs: 60_000,
  onLostConnection: () => undefined,
});
afterAll(async () => {
  await owner.destroy();
  await drop();
});
const run = (text: string) => sql.raw(text).execute(owner);

const verify = () => runCommand(url, ['ledger', 'verify']);

const transfer = 'insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)';

test('adjustments of an earlier version keep their accounts, and the books verify after the upgrade', async () => {
  await migrateBefore(owner, '0038');
  await run(`
    insert into admin (username, role) values ('ann', 'SuperAdmin');
    insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code)
    values ('U-1', 'mira', '', '', 'MIRA1');
    insert into adjustment (id, user_id, asset, units, reason, made_by, posted_at)
    select uuid_v7(), platform_user.id, asset::asset, units, 'Before', admin.id, now()
    from platform_user, admin, (values ('USD', 50), ('USD', -20), ('GMP', 7), ('SHARE', 3)) as it (asset, units);
    ${transfer}
    select current_date, 'adjustment', id, 0, user_id, asset,
      case when units > 0 then 'adjustments' else 'available' end::ledger_account,
      case when units > 0 then 'available' else 'adjustments' end::ledger_account, abs(units)
    from adjustment order by units desc;
    insert into adjustment (id, user_id, asset, units, reason, made_by)
    select uuid_v7(), platform_user.id, 'USD', 5, 'Waiting', admin.id from platform_user, admin;`);
  expect(await runCommand(url, ['migrate'])).toMatchObject({ code: 0 });
  expect(await verify()).toMatchObject({ code: 0 });
  const { rows } = await sql<{ otherAccount: string; count: bigint }>`
    select other_account as "otherAccount", count(*) from adjustment group by 1 order by 1`.execute(owner);
  expect(rows.map(({ otherAccount, count }) => [otherAccount, Number(count)])).toEqual([
    ['treasury', 1],
    ['adjustments', 4],
  ]);
  const unfunded = run(`${transfer}
    select current_date, 'adjustment', uuid_v7(), 0, id, 'USD', 'adjustments', 'available', 1 from platform_user`);
  await expect(unfunded).rejects.toThrow('transfer_adjustment_is_funded');
}, 120_000);
