import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { fingerprint } from '../../server/src/core/auth/secrets.ts';
import { connect } from '../../server/src/core/db/db.ts';
import { codeOf, readKey } from '../../server/src/core/testing/authenticator-app.ts';
import { addAdmin, testPassword, testServer } from '../../server/src/core/testing/server.ts';
import { cloneTemplate } from '../../server/src/core/testing/template.ts';
import type { Attempt } from './forged.ts';
import type { Outcome } from './tries.ts';

/*
 * Sessions, passwords and API keys that were planted in the database. Each is committed, and then somebody tries to sign
 * in with it.
 */

type SignIn = Attempt & {
  /** Returns the status of a call that needs the planted secret. */
  tryIt: (call: Awaited<ReturnType<typeof testServer>>['call']) => Promise<number>;
};

const aim = 'Signing in as somebody else';

/** An administrator whose sign-in takes the password and a code. */
const guarded = 'guarded';

function signInsAs(admin: string, login: string): SignIn[] {
  const token = randomBytes(32).toString('base64url');
  const secret = `bursar_t15${login.replaceAll(/[^a-z]/g, '')}_${token}`;
  const hex = (text: string) => `decode('${fingerprint(text).toString('hex')}', 'hex')`;
  return [
    {
      aim,
      what: 'Add a session',
      statements: [
        `insert into session (admin_id, token_hash, network, device, ends_at, seal)
          values ('${admin}', ${hex(token)}, '127.0.0.0/24', 'Any', now() + interval '1 hour', sha256('any'))`,
      ],
      tryIt: async (call) => (await call('GET', '/api/admin/all', { token })).status,
    },
    {
      aim,
      what: 'Add an API key',
      statements: [
        `with it as (insert into api_key (name, scopes, requests_per_minute, created_by)
            values ('Mine', '{users:write}', 100, '${admin}') returning id)
          insert into api_key_secret (api_key_id, prefix, hash, created_by)
          select id, '${secret.slice(0, secret.lastIndexOf(`_${token}`))}', ${hex(secret)}, '${admin}' from it`,
      ],
      tryIt: async (call) => (await call('POST', '/api/platform/users', { token: secret, body: { items: [] } })).status,
    },
    {
      aim,
      what: 'Set a password',
      statements: [
        `update admin_credential set temporary = false, password_hash = convert_to('${knownHash}', 'UTF8')
          where admin_id = '${admin}'`,
      ],
      tryIt: async (call) => {
        const body = { username: 'root', password: testPassword };
        return (await call('POST', '/api/admin/login', { body })).status;
      },
    },
    {
      aim,
      what: 'Delete a second factor, with the password known',
      statements: ['delete from totp_factor', 'delete from recovery_code'],
      tryIt: async (call) => {
        const body = { username: guarded, password: testPassword };
        return (await call('POST', '/api/admin/login', { body })).status;
      },
    },
  ];
}

/** Of the password of the tests, as argon2id stores it without a key. */
const knownHash = '$argon2id$v=19$m=8,t=1,p=1$KFCXA4t2JwSsIhL5ZZfusw$cZ8IMDtwErfMT6ZadP0RxJWPKNVvkDdzPCSjU+UTL98';

/** Tries every sign-in with the rights of a login and returns what became of each. */
export async function trySignIns(postgresUrl: string, login: string) {
  await using opened = new AsyncDisposableStack();
  const { url, drop } = await cloneTemplate(postgresUrl);
  opened.defer(drop);
  const settings = { url, connections: 1, statementTimeoutMs: 60_000, onLostConnection: () => undefined };
  const { database: owner } = connect(settings);
  opened.defer(() => owner.destroy());
  const { id } = await addAdmin(owner, { username: 'root', role: 'SuperAdmin' });
  const server = await testServer(url);
  opened.defer(() => server[Symbol.asyncDispose]());
  await addAdmin(owner, { username: guarded, role: 'SuperAdmin' });
  await addApp(server, guarded);
  const outcomes: (Attempt & { outcome: Outcome })[] = [];
  for (const { tryIt, ...attempt } of signInsAs(id, login)) {
    const planted = await owner
      .transaction()
      .execute(async (tx) => {
        await sql.raw(`set local session authorization ${login}`).execute(tx);
        for (const statement of attempt.statements) await sql.raw(statement).execute(tx);
        return true;
      })
      .catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === '42501') return false;
        throw error;
      });
    const status = planted ? await tryIt(server.call) : 401;
    outcomes.push({ ...attempt, outcome: !planted ? 'refused' : denied.has(status) ? 'opens nothing' : 'open' });
  }
  return outcomes;
}

/** Nobody is signed in, or the second factor is still missing. */
const denied = new Set([401, 403]);

async function addApp({ call, signIn }: Awaited<ReturnType<typeof testServer>>, username: string) {
  const token = await signIn(username);
  const started = await call('POST', '/api/security/app/start', { token });
  const body = { code: codeOf(readKey(String(started.json['secret'])), 0) };
  const confirmed = await call('POST', '/api/security/app/confirm', { token, body });
  if (confirmed.status !== 200) throw new Error(`The app was not added: ${confirmed.text}`);
}
