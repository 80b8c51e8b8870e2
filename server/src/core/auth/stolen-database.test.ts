import { createHash } from 'node:crypto';
import type { Scope } from 'contract/core/scopes.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runQuery } from '#server/core/db/db.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';
import { hashPassword, newSecret } from './secrets.ts';

/* What the thief of the database alone can do: read every row, and write rows as the app login or as their owner. */

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const root = await addAdmin(db.database, { username: 'boss', role: 'SuperAdmin' });

const sha256 = (text: string) => createHash('sha256').update(text).digest();
const me = async (token: string, headers: Record<string, string> = {}) =>
  (await server.call('GET', '/api/auth/me', { token, headers })).status;
const tryPassword = async (username: string, password: string) =>
  (await server.call('POST', '/api/admin/login', { body: { username, password } })).status;
const useKey = async (secret: string) => (await server.call('GET', '/api/platform/key', { token: secret })).status;

let added = 0;
async function mallory() {
  added += 1;
  const { id, username } = await addAdmin(db.database, { username: `mallory${added}`, permissionSet: 'Support' });
  return { id, username, token: await server.signIn(username) };
}

const asApp = (query: ReturnType<typeof sql>) => runQuery(db.database, query);
const asOwner = (query: ReturnType<typeof sql>) => runQuery(db.owner, query);

test('a session row that the app login inserts signs nobody in', async () => {
  const token = newSecret();
  const guesses = [sha256(token), Buffer.from(token), Buffer.from(token, 'base64url')];
  for (const guess of guesses) {
    await asApp(sql`insert into session (admin_id, token_hash, network, device, ends_at, seal)
      values (${root.id}, ${guess}, '', '', now() + interval '1 day', ${guess})`);
    expect(await me(token)).toBe(401);
  }
});

test.each([
  ['administrator', sql`admin_id = ${root.id}`],
  ['end', sql`ends_at = now() + interval '10 years'`],
  ['start', sql`created_at = now() + interval '1 hour'`],
  ['id', sql`id = uuid_v7()`],
  ['seal', sql`seal = sha256(seal)`],
])('a session whose %s was changed signs nobody in', async (_what, change) => {
  const { id, token } = await mallory();
  expect(await me(token)).toBe(200);
  await asApp(sql`update session set ${change} where admin_id = ${id}`);
  expect(await me(token)).toBe(401);
});

test('a session of a browser whose cookie was removed from the row does not work with the token alone', async () => {
  const { username, id } = await mallory();
  const body = { username, password: testPassword };
  const { json } = await server.call('POST', '/api/admin/login', { body, headers: { origin: server.address } });
  await asApp(sql`update session set cookie_hash = null where admin_id = ${id}`);
  expect(await me(String(json['token']))).toBe(401);
});

test('a session that was copied to another administrator under the same token signs nobody in', async () => {
  const { id, token } = await mallory();
  await asApp(sql`
    with own as (delete from session where admin_id = ${id} returning *)
    insert into session (id, admin_id, token_hash, cookie_hash, network, device, created_at, ends_at, seal)
    select id, ${root.id}, token_hash, cookie_hash, network, device, created_at, ends_at, seal from own`);
  expect(await me(token)).toBe(401);
});

test('a password hash that was copied from another account does not sign in', async () => {
  const { username } = await mallory();
  const victim = await addAdmin(db.database, { username: 'victim', role: 'SuperAdmin', realHash: true });
  await asApp(sql`
    update admin_credential set password_hash = (
      select password_hash from admin_credential join admin on admin.id = admin_id where username = ${username}
    ) where admin_id = ${victim.id}`);
  expect(await tryPassword(username, testPassword)).toBe(200);
  expect(await tryPassword('victim', testPassword)).toBe(401);
});

test('a password hash that was made outside does not sign in', async () => {
  const { id, username } = await mallory();
  const made = Buffer.from(await hashPassword('chosen by the thief'));
  await asApp(sql`update admin_credential set password_hash = ${made} where admin_id = ${id}`);
  expect(await tryPassword(username, 'chosen by the thief')).toBe(401);
  expect(await tryPassword(username, testPassword)).toBe(401);
  // A later test looks for readable hashes.
  await asApp(sql`update admin_credential set password_hash = '' where admin_id = ${id}`);
});

test('an API key that was made, moved or widened in the database is refused', async () => {
  const narrow: Scope[] = ['users:write'];
  const wide: Scope[] = ['deposits:write'];
  const other = await addApiKey(db.owner, { scopes: wide });
  const stolen = await addApiKey(db.owner, { scopes: narrow });
  expect([await useKey(other.secret), await useKey(stolen.secret)]).toEqual([200, 200]);

  await asOwner(sql`update api_key set scopes = ${wide} where id = ${stolen.id}`);
  expect(await useKey(stolen.secret)).toBe(401);
  await asOwner(
    sql`update api_key set scopes = ${narrow}, expires_at = now() + interval '1 year' where id = ${stolen.id}`,
  );
  expect(await useKey(stolen.secret)).toBe(401);
  await asOwner(sql`update api_key set expires_at = null where id = ${stolen.id}`);
  expect(await useKey(stolen.secret)).toBe(200);

  await db.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`update api_key_secret set api_key_id = ${other.id} where api_key_id = ${stolen.id}`.execute(tx);
  });
  expect(await useKey(stolen.secret)).toBe(401);

  const forged = `bursar_forged_${newSecret()}`;
  await asApp(sql`insert into api_key_secret (api_key_id, prefix, hash, created_by, approved_at)
    select ${stolen.id}, 'bursar_forged', ${sha256(forged)}, ${root.id}, now()`);
  expect(await useKey(forged)).toBe(401);
});

test('nothing in a dump is a token, or tells whether a guessed password, token or key is right', async () => {
  const { username } = await mallory();
  const body = { username, password: testPassword };
  const { json, headers } = await server.call('POST', '/api/admin/login', {
    body,
    headers: { origin: server.address },
  });
  const cookies = headers.getSetCookie().map((cookie) => cookie.split(';')[0]?.split('=')[1] ?? '');
  const { secret } = await addApiKey(db.owner, { scopes: ['users:write'] });
  const dump = await readDump();

  expect(dump).not.toContain('$argon2');
  expect(dump).not.toContain(Buffer.from('$argon2').toString('hex'));
  const secrets = [String(json['token']), ...cookies, secret, testPassword];
  expect(secrets.filter((text) => text.length > 15)).toHaveLength(5);
  for (const text of secrets) {
    for (const value of [Buffer.from(text), Buffer.from(text, 'base64url'), sha256(text)]) {
      for (const encoding of ['hex', 'base64', 'base64url', 'latin1'] as const) {
        expect(dump).not.toContain(value.toString(encoding));
      }
    }
  }
  const stored = await runQuery<{ value: Buffer }>(
    db.owner,
    sql`select token_hash as value from session union all select seal from session
      union all select password_hash from admin_credential union all select hash from api_key_secret`,
  );
  for (const { value } of stored.slice(-60)) {
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      expect(await me(value.toString(encoding))).toBe(401);
  }
});

/** Returns all rows of all tables as text, as `pg_dump` would write them. */
async function readDump() {
  const tables = await runQuery<{ name: string }>(
    db.owner,
    sql`select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await runQuery<{ row: string }>(db.owner, sql`select it::text as row from ${sql.raw(name)} as it`);
    rows.push(...found.map(({ row }) => row));
  }
  return rows.join('\n');
}
