import { recordAudit } from '#server/core/audit/audit.ts';
import type { Config } from '#server/config.ts';
import type { Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { admitAdmin, where } from './admission.ts';
import { verifySecondFactor } from './factors/codes.ts';
import { isTooCommon } from './passwords.ts';
import {
  deleteSession,
  deleteSessions,
  hasSession,
  lockLiveAdmin,
  selectCredential,
  selectOwnCredential,
} from './queries.ts';
import { openPasswordHash, storeCredential } from './credentials.ts';
import { hashPassword, passwordFits } from './secrets.ts';
import { type Actor, type Client, startSession } from './sessions.ts';
import { type Attempt, inLane, type LaneDeps } from './sign-in-lanes.ts';
import type { Lane } from './throttle.ts';

type SignIn = Attempt & { password: string; code?: string | undefined; client: Client };
type Deps = LaneDeps & { lifetime: Config['session'] };

/** Signs in, or throws `InvalidCredentials`. Uses several transactions, because a failed attempt must be recorded. */
export async function signIn({ lifetime, ...deps }: Deps, given: SignIn) {
  const { username, password, code, client, device, address } = given;
  let refusal = 'InvalidCredentials';
  const started = await inLane(deps, { username, address, device }, async ({ database, queue }) => {
    const credential = await selectCredential(database, username);
    const passwordHash = credential && openPasswordHash(credential);
    const fits = await passwordFits(password, passwordHash, queue);
    const outcome =
      credential &&
      fits &&
      !credential.hasExpired &&
      (await database.transaction().execute(async (tx) => {
        const current = await lockLiveAdmin(tx, credential.id);
        if (!current || openPasswordHash(current) !== passwordHash) return undefined;
        const step = await verifySecondFactor(tx, credential.id, code);
        if ('refusal' in step) return step;
        return admitAdmin(tx, { adminId: credential.id, client, device, lifetime, ...step });
      }));
    if (outcome && 'token' in outcome) return outcome;
    if (outcome) {
      // The first of two steps is no failed attempt: thrown, it does not count.
      if (outcome.refusal === 'FactorRequired') throw new Refusal(outcome.refusal);
      refusal = outcome.refusal;
    }
    const act = { actorId: credential?.id ?? null, action: 'auth.sign-in-refused', details: where(client) } as const;
    await database.transaction().execute((tx) => recordAudit(tx, act));
    // Only someone who knows the password learns that it is too old.
    if (fits && credential?.hasExpired) throw new Refusal('TemporaryPasswordExpired');
    return undefined;
  });
  if (!started) throw new Refusal(refusal);
  return started;
}

export async function signOut(tx: Tx, { id, sessionId }: Actor) {
  await deleteSession(tx, sessionId);
  await announce(tx, { feature: 'auth', id });
  await recordAudit(tx, { actorId: id, action: 'auth.sign-out' });
}

type Change = { actor: Actor; currentPassword: string; newPassword: string; client: Client };

export async function changeOwnPassword({ database, throttle, lifetime }: Deps, change: Change) {
  const { actor, currentPassword, newPassword, client } = change;
  const lanes: Lane[] = [{ name: 'own', key: actor.sessionId }];
  await throttle.charge(lanes);
  const credential = await selectOwnCredential(database, actor.id);
  const passwordHash = openPasswordHash(credential);
  if (!(await passwordFits(currentPassword, passwordHash, 'known'))) {
    const act = { actorId: actor.id, action: 'auth.change-password-refused', details: where(client) } as const;
    await database.transaction().execute((tx) => recordAudit(tx, act));
    throw new Refusal('CurrentPasswordWrong');
  }
  await throttle.refund(lanes);
  if (credential.hasExpired) throw new Refusal('TemporaryPasswordExpired');
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
    const { factor, sessionEndsAt: endsAt } = actor;
    const session = await startSession(tx, actor.id, { client, lifetime, factor, endsAt });
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
