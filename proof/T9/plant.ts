import { randomBytes } from 'node:crypto';
import { sealSecret } from '../../server/src/core/sealed-secret.ts';
import { addAdmin, testPassword } from '../../server/src/core/testing/server.ts';
import { callerAt } from '../processes/caller.ts';
import type { Fixture } from '../processes/fixture.ts';
import type { Canaries } from './canaries.ts';

const newCanary = (name: string) => `${name}Canary${randomBytes(15).toString('hex')}`;

export type Planted = { superAdmin: { username: string; password: string; token: string } };

/** Plants secrets of users, of administrators, of the configuration and of callers who make mistakes. */
export async function plantSecrets(fixture: Fixture, address: string, canaries: Canaries): Promise<Planted> {
  await plantUserSecrets(fixture, canaries);
  plantConfiguration(fixture, canaries);
  const caller = callerAt(address);
  const root = await addAdmin(fixture.owner, { username: 'root.of.the.proof', role: 'SuperAdmin' });
  const first = await caller.signIn(root.username, testPassword);
  canaries.plant('token of an ended session', first);
  const password = canaries.plant('password of an administrator', newCanary('Password'));
  const chosen = { currentPassword: testPassword, newPassword: password };
  await caller.call('POST', '/api/auth/password', { token: first, body: chosen });
  await plantTemporaryPassword(address, { token: await caller.signIn(root.username, password), canaries });
  await plantMistakes(address, { username: root.username, canaries });
  const token = canaries.plant('token of a session', await caller.signIn(root.username, password));
  return { superAdmin: { username: root.username, password, token } };
}

/** Only private keys are stored in a form that can be read again. */
async function plantUserSecrets({ pool, environment }: Fixture, canaries: Canaries) {
  const wrappingKey = Buffer.from(environment.BURSAR_SECRETS_KEY, 'base64');
  const { rows } = await pool.query<{ id: string }>('select id from platform_user order by id limit 50');
  for (const { id } of rows) {
    const key = canaries.plant('solPrivateKey', newCanary('Key'));
    const sealed = sealSecret(wrappingKey, { table: 'user_secret', id, column: 'sol_private_key' }, key);
    await pool.query(
      `insert into user_secret (user_id, sol_private_key) values ($1, $2)
       on conflict (user_id) do update set sol_private_key = excluded.sol_private_key`,
      [id, sealed],
    );
  }
}

function plantConfiguration({ environment, url }: Fixture, canaries: Canaries) {
  for (const name of ['BURSAR_AUDIT_KEY', 'BURSAR_AUDIT_SIGNING_KEY', 'BURSAR_SECRETS_KEY'] as const) {
    canaries.plant(name, environment[name]);
    canaries.plant(name, Buffer.from(environment[name], 'base64').toString('hex'));
  }
  const { password } = new URL(url);
  if (password) canaries.plant('password of the database', password);
}

type Signed = { token: string; canaries: Canaries };

/** A password that an administrator sets for another one, and the one that this other chooses. */
async function plantTemporaryPassword(address: string, { token, canaries }: Signed) {
  const caller = callerAt(address);
  const username = 'newcomer.of.the.proof';
  const given = canaries.plant('temporary password', newCanary('Temporary'));
  const body = { username, password: given, confirmPassword: given, role: 'Admin' };
  const added = await caller.call('POST', '/api/admin/signup', { token, body });
  if (added.status !== 200) throw new Error(`The administrator was not added: ${JSON.stringify(added.json)}`);
  const session = canaries.plant('token of a session', await caller.signIn(username, given));
  const own = canaries.plant('password of an administrator', newCanary('Chosen'));
  const chosen = { currentPassword: given, newPassword: own };
  const { json } = await caller.call('POST', '/api/auth/password', { token: session, body: chosen });
  canaries.plant('token of a session', String(json['token']));
}

/** Secrets in requests that are refused, and in places where they do not belong. */
async function plantMistakes(address: string, { username, canaries }: { username: string; canaries: Canaries }) {
  const { call } = callerAt(address);
  const wrong = () => canaries.plant('secret of a refused request', newCanary('Wrong'));
  await call('POST', '/api/admin/login', { body: { username, password: wrong() } });
  await call('POST', '/api/admin/login', { body: { username: 'nobody', password: wrong() } });
  await call('POST', '/api/admin/login', { body: { username, passwort: wrong(), password: wrong(), [wrong()]: 1 } });
  await call('POST', '/api/admin/login', { body: [wrong()] });
  await call('GET', '/api/users', { token: wrong() });
  await call('GET', '/api/platform/key', { token: `bursar_abcdefghijkl_${wrong()}` });
  await call('GET', `/api/users?token=${wrong()}`);
  await call('GET', `/api/no-such-call/${wrong()}?secret=${wrong()}`);
}
