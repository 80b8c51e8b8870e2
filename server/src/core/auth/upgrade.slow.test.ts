import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { connect } from '#server/core/db/db.ts';
import { migrateBefore } from '#server/core/testing/earlier-version.ts';
import { runCommand } from '#server/core/testing/process.ts';
import { testPassword, testServer } from '#server/core/testing/server.ts';
import { createDatabase } from '#server/core/testing/template.ts';
import { hashPassword, newSecret } from './secrets.ts';

test('passwords and API keys of an earlier version work after the upgrade, and sessions end', async () => {
  await using resources = new AsyncDisposableStack();
  const { url, drop } = await createDatabase(inject('postgresUrl'));
  resources.defer(drop);
  const settings = { connections: 2, statementTimeoutMs: 60_000, onLostConnection: () => undefined };
  const { database: owner } = connect({ url, ...settings });
  resources.defer(() => owner.destroy());
  await migrateBefore(owner, '0053');
  const [token, secret] = [newSecret(), `bursar_earlier_${newSecret()}`];
  const digestOf = (text: string) => createHash('sha256').update(text).digest();
  await sql`
    with added as (insert into admin (username, role) values ('ann', 'SuperAdmin') returning id),
      credential as (
        insert into admin_credential (admin_id, password_hash, temporary)
        select id, ${await hashPassword(testPassword)}, false from added
      ),
      signed_in as (
        insert into session (admin_id, token_hash, network, device, ends_at)
        select id, ${digestOf(token)}, '', '', now() + interval '1 hour' from added
      ),
      key as (
        insert into api_key (name, scopes, requests_per_minute, expires_at, created_by)
        select 'Earlier', '{tickets:write,users:write}', 100, now() + interval '1 day', id from added returning id, created_by
      )
    insert into api_key_secret (api_key_id, prefix, hash, created_by, approved_at)
    select id, 'bursar_earlier', ${digestOf(secret)}, created_by, now() from key`.execute(owner);

  expect(await runCommand(url, ['migrate'])).toMatchObject({ code: 0 });
  await using server = await testServer(url);
  expect((await server.call('GET', '/api/auth/me', { token })).status).toBe(401);
  expect(await server.signIn('ann')).not.toBe('');
  expect((await server.call('GET', '/api/platform/key', { token: secret })).status).toBe(200);
  const { rows } = await sql<{ stored: string }>`
    select password_hash::text as stored from admin_credential union all select hash::text from api_key_secret`.execute(
    owner,
  );
  for (const { stored } of rows) {
    expect(stored).not.toContain(Buffer.from('$argon2').toString('hex'));
    expect(stored).not.toContain(digestOf(secret).toString('hex'));
  }
}, 120_000);
