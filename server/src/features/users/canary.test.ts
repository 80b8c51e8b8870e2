import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testVariables } from '#server/core/testing/config.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { addUser } from '#server/core/testing/user.ts';
import { startProgram } from '#server/core/testing/process.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { sealSecret } from '#server/core/sealed-secret.ts';

type Line = { msg?: string; address?: string };

test('no response, log line or audit row contains any of the three secrets of a user', async () => {
  await using db = await testDatabase();
  await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
  const { id, userId } = await addUser(db.owner, { username: 'holder' });
  const canary = randomBytes(12).toString('hex');
  const sealed = sealSecret(
    db.config.secretsKey,
    { table: 'user_secret', id, column: 'sol_private_key' },
    `key-${canary}`,
  );
  const tokenDigest = createHash('sha256').update(`token-${canary}`).digest();
  const secrets = { solPrivateKey: sealed, passwordHash: `$argon2id$${canary}`, tokenDigest };
  await db.owner.transaction().execute((tx) =>
    tx
      .insertInto('userSecret')
      .values({ userId: id, ...secrets })
      .execute(),
  );
  const program = startProgram({ program: 'main.ts', environment: testVariables(db.url, { LOG_LEVEL: 'debug' }) });
  const address = await eventually(() => addressIn(program.said.stdout), 15_000);

  const answers: string[] = [];
  let token = '';
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${address}/api${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    answers.push(await response.text(), JSON.stringify([...response.headers]));
    return answers.at(-2) ?? '';
  };
  const signedIn = JSON.parse(await call('POST', '/admin/login', { username: 'root', password: testPassword })) as {
    token: string;
  };
  ({ token } = signedIn);
  const reason = 'A day like any other';
  expect(await call('GET', `/users/${id}`)).toContain('"solPrivateKey":"held"');
  for (const path of ['/users?search=holder', '/users', '/users/rank-changes', `/audit?subject=${id}`, '/users/x']) {
    await call('GET', path);
  }
  await call('PATCH', `/users/${id}`, { version: 1, role: 'Admin' });
  await call('PATCH', `/users/${id}`, { version: 1, solPrivateKey: 'mine' });
  await call('POST', `/users/${id}/blacklist`, { blacklisted: true, reason });
  await call('POST', '/users/promote', { userId, newRank: 'Gold', reason });
  expect(await call('POST', `/users/${id}/key-reveal`, { reason })).toContain('waiting');
  expect(await call('POST', `/users/${id}/reset-password`, { reason })).toContain('"password":"none"');
  await call('POST', `/users/${id}/delete`);
  await call('GET', `/users/${id}`);
  await call('GET', `/audit?subject=${id}`);
  const { stdout, stderr } = await program.stop();

  const rows = await db.owner.selectFrom('auditEntry').select('details').execute();
  const everything = [...answers, stdout, stderr, ...rows.map(({ details }) => details)].join('\n');
  for (const form of [canary, ...formsOf(sealed), ...formsOf(tokenDigest), ...formsOf(Buffer.from(canary))]) {
    expect(everything).not.toContain(form);
  }
}, 60_000);

const addressIn = (log: string) =>
  log
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line)
    .find(({ msg }) => msg === 'listening')?.address;

/** The encodings to look for. 18 bytes fill whole base64 groups, so their encoding is a prefix of the full one. */
const formsOf = (bytes: Buffer) =>
  (['hex', 'base64', 'base64url', 'latin1'] as const).map((encoding) => bytes.subarray(0, 18).toString(encoding));

test('no process can read a secret from the database with any statement, or replace a key or a password', async () => {
  await using db = await testDatabase();
  const { id } = await addUser(db.owner);
  const held = {
    userId: id,
    solPrivateKey: Buffer.from('key'),
    passwordHash: 'hash',
    tokenDigest: Buffer.from('digest'),
  };
  await db.owner.transaction().execute((tx) => tx.insertInto('userSecret').values(held).execute());

  const asApp = (statement: string) => db.database.transaction().execute((tx) => sql.raw(statement).execute(tx));
  const forbidden = [
    'select sol_private_key from user_secret',
    'select password_hash from user_secret',
    'select token_digest from user_secret',
    'select * from user_secret',
    'select user_secret::text from user_secret',
    "select user_id from user_secret where password_hash like '$argon2id$%'",
    'update user_secret set token_digest = null returning token_digest',
    "update user_secret set password_hash = 'mine'",
    "update user_secret set sol_private_key = ''",
    'insert into user_secret (user_id) select id from platform_user',
    'copy user_secret to stdout',
  ];
  for (const statement of forbidden) {
    await expect(asApp(statement), statement).rejects.toMatchObject({ code: '42501' });
  }
  const known = await asApp('select holds_private_key, has_password, has_token from user_secret');
  expect(known.rows).toEqual([{ holdsPrivateKey: true, hasPassword: true, hasToken: true }]);

  const { rows: readable } = await sql`
    select role, attname::text as column
    from unnest(array['bursar_app', 'bursar_worker', 'bursar_auditor']) as role, pg_attribute
    where attrelid = 'user_secret'::regclass and attnum > 0 and has_column_privilege(role, attrelid, attnum, 'select')
    order by attnum`.execute(db.owner);
  const columns = ['user_id', 'holds_private_key', 'has_password', 'has_token', 'password_reset_at'];
  expect(readable).toEqual(columns.map((column) => ({ role: 'bursar_app', column })));
});
