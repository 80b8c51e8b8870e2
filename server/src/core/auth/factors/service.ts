import { recordAudit } from '#server/core/audit/audit.ts';
import type { Database, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { inActorTransaction } from '../actor-transaction.ts';
import { openPasswordHash } from '../credentials.ts';
import { lockLiveAdmin, selectOwnCredential } from '../queries.ts';
import { passwordFits } from '../secrets.ts';
import type { Actor } from '../sessions.ts';
import type { Lane, Throttle } from '../throttle.ts';
import { hasSecondFactor, renewRecoveryCodes, sealTotp, takeCode, takeTotpCode } from './codes.ts';
import { confirmTotp, deleteTotp, replaceRecoveryCodes, selectTotp, upsertUnconfirmedTotp } from './queries.ts';
import { type Renewal, renewSession, replaceSessions } from './renew.ts';
import { base32, newTotpSecret, totpUri } from './totp.ts';

type Deps = { database: Database; throttle: Throttle };
type WithCode = Renewal & { code: string };

/** Creates the secret of an authenticator app. Throws `AppActive` if the caller has one that works. */
export function startApp(database: Database, actor: Actor) {
  const secret = newTotpSecret();
  return inActorTransaction(database, actor, async (tx) => {
    await lockLiveAdmin(tx, actor.id);
    if (!(await upsertUnconfirmedTotp(tx, actor.id, sealTotp(actor.id, secret)))) {
      throw new Refusal('AppActive');
    }
    await recordAudit(tx, { actorId: actor.id, action: 'auth.start-app' });
    return { secret: base32(secret), uri: totpUri(secret, actor.username) };
  });
}

/** Turns the app on with its first code. Returns a new session, as all others end, and the recovery codes. */
export function confirmApp(deps: Deps, { code, ...renewal }: WithCode) {
  const { actor } = renewal;
  return withProof(deps, actor, async (tx) => {
    const totp = await selectTotp(tx, actor.id);
    if (!totp || totp.confirmedAt) throw new Refusal('AppNotStarted');
    if (!(await takeTotpCode(tx, actor.id, code.replaceAll(/\s/g, '')))) return 'CodeWrong';
    await confirmTotp(tx, actor.id);
    const recoveryCodes = await renewRecoveryCodes(tx, actor.id);
    const session = await replaceSessions(tx, renewal, 'totp');
    await recordAudit(tx, { actorId: actor.id, action: 'auth.add-app' });
    return { session, recoveryCodes };
  });
}

/** Removes the app. It takes a code of it or a recovery code, so that a stolen password cannot do it. */
export function removeApp(deps: Deps, { code, ...renewal }: WithCode) {
  const { actor } = renewal;
  return withProof(deps, actor, async (tx) => {
    if (!(await takeCode(tx, actor.id, code))) return 'CodeWrong';
    await deleteTotp(tx, actor.id);
    const session = await endFactor(tx, renewal);
    await recordAudit(tx, { actorId: actor.id, action: 'auth.remove-app' });
    return session;
  });
}

/** After a factor was removed: without another one, recovery codes stop working and the password alone signs in. */
export async function endFactor(tx: Tx, renewal: Renewal) {
  const { actor } = renewal;
  const hasFactor = await hasSecondFactor(tx, actor.id);
  if (!hasFactor) await replaceRecoveryCodes(tx, actor.id, []);
  return replaceSessions(tx, renewal, hasFactor ? actor.factor : null);
}

export function replaceOwnRecoveryCodes(database: Database, actor: Actor) {
  return inActorTransaction(database, actor, async (tx) => {
    await lockLiveAdmin(tx, actor.id);
    if (!(await hasSecondFactor(tx, actor.id))) throw new Refusal('NoFactor');
    const recoveryCodes = await renewRecoveryCodes(tx, actor.id);
    await announce(tx, { feature: 'security', id: actor.id });
    await recordAudit(tx, { actorId: actor.id, action: 'auth.renew-recovery-codes' });
    return { recoveryCodes };
  });
}

type StepUp = Renewal & { password?: string | undefined; code?: string | undefined };

/** Proves again who the caller is, and gives the session a new token. */
export async function stepUp(deps: Deps, { password = '', code, ...renewal }: StepUp) {
  const { actor } = renewal;
  if (code !== undefined) {
    return withProof(deps, actor, async (tx) => {
      const factor = await takeCode(tx, actor.id, code);
      return factor ? renewSession(tx, renewal, factor) : 'CodeWrong';
    });
  }
  return withProof(deps, actor, async (tx) => {
    const passwordHash = openPasswordHash(await selectOwnCredential(tx, actor.id));
    const fits = await passwordFits(password, passwordHash, 'known');
    return fits ? renewSession(tx, renewal, actor.factor) : 'PasswordWrong';
  });
}

type Wrong = 'CodeWrong' | 'PasswordWrong';

/** Counts the attempt, and refuses and audits a wrong proof. Locks the account, so that it proves one at a time. */
export async function withProof<T extends object>(
  { database, throttle }: Deps,
  actor: Actor,
  prove: (tx: Tx) => Promise<T | Wrong>,
): Promise<T> {
  const lanes: Lane[] = [{ name: 'own', key: actor.id }];
  await throttle.charge(lanes);
  const proved = await inActorTransaction(database, actor, async (tx) => {
    await lockLiveAdmin(tx, actor.id);
    return prove(tx);
  });
  if (typeof proved !== 'string') {
    await throttle.refund(lanes);
    return proved;
  }
  await database
    .transaction()
    .execute((tx) => recordAudit(tx, { actorId: actor.id, action: 'auth.proof-refused', details: { why: proved } }));
  throw new Refusal(proved);
}
