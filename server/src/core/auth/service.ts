import { recordAudit } from '#server/core/audit/audit.ts';
import type { Config } from '#server/config.ts';
import type { Database, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { keyedHash, keyedHashes } from '#server/core/keys.ts';
import { Refusal } from '#server/core/refusal.ts';
import { isTooCommon } from './passwords.ts';
import {
  deleteSession,
  deleteSessions,
  hasSession,
  isKnownDevice,
  lockLiveAdmin,
  selectCredential,
  selectOwnCredential,
  upsertKnownDevice,
} from './queries.ts';
import { openPasswordHash, storeCredential } from './credentials.ts';
import { fingerprint, hashPassword, newSecret, passwordFits } from './secrets.ts';
import { type Actor, type Client, startSession } from './sessions.ts';
import type { Lane, Throttle } from './throttle.ts';

type SignIn = { username: string; password: string; client: Client; device: string | undefined };
type Deps = { database: Database; throttle: Throttle; lifetime: Config['session'] };

/** Signs in, or throws `InvalidCredentials`. Uses several transactions, because a failed attempt must be recorded. */
export async function signIn({ database, throttle, lifetime }: Deps, { username, password, client, device }: SignIn) {
  const credential = await selectCredential(database, username);
  // This query also runs for unknown usernames: the response time would reveal who exists otherwise.
  const known =
    device !== undefined &&
    (await isKnownDevice(database, credential?.id ?? noAdminId, keyedHashes('devices', device)));
  const lanes = lanesFor({ username, network: client.network, device: known ? device : undefined });
  await throttle.charge(lanes);

  const passwordHash = credential && openPasswordHash(credential);
  const fits = await passwordFits(password, passwordHash, known ? 'known' : 'strangers').catch(
    async (error: unknown) => {
      // The password was not checked, so the attempt does not count as failed.
      await throttle.refund(lanes);
      throw error;
    },
  );
  const started =
    credential &&
    fits &&
    (await database.transaction().execute(async (tx) => {
      const current = await lockLiveAdmin(tx, credential.id);
      if (!current || openPasswordHash(current) !== passwordHash) return undefined;
      const session = await startSession(tx, credential.id, { client, lifetime });
      const deviceSecret = client.browser ? (device ?? newSecret()) : undefined;
      if (deviceSecret) await upsertKnownDevice(tx, credential.id, keyedHash('devices', deviceSecret));
      await recordAudit(tx, { actorId: credential.id, action: 'auth.sign-in', details: where(client) });
      return { ...session, device: deviceSecret };
    }));
  if (started) {
    await throttle.refund(lanes);
    return started;
  }
  await database
    .transaction()
    .execute((tx) =>
      recordAudit(tx, { actorId: credential?.id ?? null, action: 'auth.sign-in-refused', details: where(client) }),
    );
  throw new Refusal('InvalidCredentials');
}

const noAdminId = '00000000-0000-0000-0000-000000000000';

const where = ({ network, device }: Client) => ({ network, device });

/** Failures from unknown devices close the account's lane for unknown devices only. */
function lanesFor({
  username,
  network,
  device,
}: {
  username: string;
  network: string;
  device: string | undefined;
}): Lane[] {
  const account = fingerprint(username.toLowerCase()).toString('base64url');
  if (device) return [{ name: 'device', key: `${account}:${keyedHash('devices', device).toString('base64url')}` }];
  return [
    { name: 'network', key: network },
    { name: 'account', key: account },
  ];
}

export async function signOut(tx: Tx, { id, sessionId }: Actor) {
  await deleteSession(tx, sessionId);
  await announce(tx, { feature: 'auth', id });
  await recordAudit(tx, { actorId: id, action: 'auth.sign-out' });
}

type Change = { actor: Actor; currentPassword: string; newPassword: string; client: Client };

export async function changeOwnPassword({ database, throttle, lifetime }: Deps, change: Change) {
  const { actor, currentPassword, newPassword, client } = change;
  const lanes: Lane[] = [{ name: 'account', key: `own:${actor.id}` }];
  await throttle.charge(lanes);
  const passwordHash = openPasswordHash(await selectOwnCredential(database, actor.id));
  if (!(await passwordFits(currentPassword, passwordHash, 'known'))) {
    const act = { actorId: actor.id, action: 'auth.change-password-refused', details: where(client) } as const;
    await database.transaction().execute((tx) => recordAudit(tx, act));
    throw new Refusal('CurrentPasswordWrong');
  }
  await throttle.refund(lanes);
  if (currentPassword === newPassword) throw new Refusal('PasswordUnchanged');
  if (isTooCommon(newPassword, actor.username)) throw new Refusal('PasswordTooCommon');
  const newHash = await hashPassword(newPassword);

  return database.transaction().execute(async (tx) => {
    const current = await lockLiveAdmin(tx, actor.id);
    const unchanged = current && openPasswordHash(current) === passwordHash && (await hasSession(tx, actor.sessionId));
    if (!unchanged) throw new Refusal('SignInRequired');
    await storeCredential(tx, { adminId: actor.id, passwordHash: newHash, temporary: false });
    await deleteSessions(tx, actor.id);
    await announce(tx, { feature: 'auth', id: actor.id });
    const session = await startSession(tx, actor.id, { client, lifetime });
    await recordAudit(tx, { actorId: actor.id, action: 'auth.change-password' });
    return session;
  });
}

type NewPassword = { password: string; username: string; temporary: boolean };

/** Prepares a password set by someone else. Hashes it before the transaction opens, because hashing is slow. */
export async function preparePassword({ password, username, temporary }: NewPassword) {
  if (isTooCommon(password, username)) throw new Refusal('PasswordTooCommon');
  const passwordHash = await hashPassword(password);
  return (tx: Tx, adminId: string) => storeCredential(tx, { adminId, passwordHash, temporary });
}
