import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { sealAuditWith } from '#server/core/audit/key.ts';
import { findUnsealed } from '#server/core/audit/record-seals.ts';
import { connect } from '#server/core/db/db.ts';
import { testConfig } from '#server/core/testing/config.ts';
import { migrateBefore } from '#server/core/testing/earlier-version.ts';
import { runCommand } from '#server/core/testing/process.ts';
import { createDatabase } from '#server/core/testing/template.ts';
import { findForgedEvents } from './queries.ts';

test('events and withdrawal requests of an earlier version are sealed by the upgrade, once', async () => {
  await using resources = new AsyncDisposableStack();
  const { url, drop } = await createDatabase(inject('postgresUrl'));
  resources.defer(drop);
  sealAuditWith(testConfig(url).audit.key);
  const settings = { connections: 2, statementTimeoutMs: 60_000, onLostConnection: () => undefined };
  const { database: owner } = connect({ url, ...settings });
  resources.defer(() => owner.destroy());
  await migrateBefore(owner, '0077');
  await sql`insert into record_sealing (records) values (7)`.execute(owner);
  const addRequest = () =>
    sql`
    with holder as (
      insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code)
      select 'U' || n, 'u' || n, 'w', 's', 'R' || n from (select count(*) + 1 as n from platform_user) as next
      returning id)
    insert into withdrawal (user_id, amount_usd, wallet, balance_usd, gmp_shares, prev_slx, slx_points)
    select id, 5, 'w', 0, 0, 0, 0 from holder`.execute(owner);
  await addRequest();
  await sql`insert into platform_event (type, subject_id, data)
    values ('withdrawals.switched', 'withdrawals', '{"enabled": false, "b": [1, {"z": 1, "a": null}]}')`.execute(owner);

  expect(await runCommand(url, ['migrate'])).toMatchObject({ code: 0 });
  expect(await findForgedEvents(owner)).toEqual([]);
  expect(await findUnsealed(owner, 'withdrawal-request')).toEqual([]);
  const { rows } = await sql`select kind, records::int from record_sealing order by kind`.execute(owner);
  expect(rows).toEqual([
    { kind: 'approval', records: 0 },
    { kind: 'authority', records: 0 },
    { kind: 'deposit', records: 7 },
    { kind: 'withdrawal', records: 0 },
    { kind: 'withdrawal-request', records: 1 },
  ]);

  await addRequest();
  expect(await runCommand(url, ['migrate'])).toMatchObject({ code: 0 });
  expect(await findUnsealed(owner, 'withdrawal-request')).toHaveLength(1);
}, 120_000);
