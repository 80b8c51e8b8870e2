import type { Assertion } from 'contract/approvals-signature.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Database, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { inActorTransaction } from '../actor-transaction.ts';
import { openPasswordHash, setRequiresFactor } from '../credentials.ts';
import { lockLiveAdmin, selectOwnCredential } from '../queries.ts';
import { passwordFits } from '../secrets.ts';
import type { Actor } from '../sessions.ts';
import type { Factor } from '../session-seal.ts';
import type { Lane, Throttle } from '../throttle.ts';
import { consumeAssertion } from './assertion.ts';
import {
  consumeCode,
  consumeTotpCode,
  hasSecondFactor,
  hasStoredFactor,
  renewRecoveryCodes,
  sealTotp,
} from './codes.ts';
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
  return withThrottledVerification(deps, actor, async (tx) => {
    const totp = await selectTotp(tx, actor.id);
    if (!totp || totp.confirmedAt) throw new Refusal('AppNotStarted');
    if (!(await consumeTotpCode(tx, actor.id, code.replaceAll(/\s/g, '')))) return 'CodeWrong';
    await confirmTotp(tx, actor.id);
    await setRequiresFactor(tx, actor.id, true);
    const recoveryCodes = await renewRecoveryCodes(tx, actor.id);
    const session = await replaceSessions(tx, renewal, 'totp');
    await recordAudit(tx, { actorId: actor.id, action: 'auth.add-app' });
    return { session, recoveryCodes };
  });
}

/** Removes the app. It takes a code of it or a recovery code, so that a stolen password cannot do it. */
export function removeApp(deps: Deps, { code, ...renewal }: WithCode) {
  const { actor } = renewal;
  return withThrottledVerification(deps, actor, async (tx) => {
    if (!(await consumeCode(tx, actor.id, code))) return 'CodeWrong';
    await deleteTotp(tx, actor.id);
    const session = await finishFactorRemoval(tx, renewal);
    await recordAudit(tx, { actorId: actor.id, action: 'auth.remove-app' });
    return session;
  });
}

/** After a factor was removed: without another one, recovery codes stop working and the password alone signs in. */
export async function finishFactorRemoval(tx: Tx, renewal: Renewal) {
  const { actor } = renewal;
  const hasFactor = await hasStoredFactor(tx, actor.id);
  await setRequiresFactor(tx, actor.id, hasFactor);
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

type StepUp = Renewal & {
  password?: string | undefined;
  code?: string | undefined;
  assertion?: Assertion | undefined;
};

/** Proves again who the caller is, and gives the session a new token. */
export function stepUp(deps: Deps, { password, code = '', assertion, ...renewal }: StepUp) {
  const { actor } = renewal;
  if (password !== undefined) return stepUpWithPassword(deps, renewal, password);
  return withThrottledVerification(deps, actor, async (tx) => {
    if (assertion) {
      const isSigned = await consumeAssertion(tx, actor.id, assertion);
      return isSigned ? finishStepUp(tx, renewal, 'passkey') : 'PasskeyRefused';
    }
    const factor = await consumeCode(tx, actor.id, code);
    return factor ? finishStepUp(tx, renewal, factor) : 'CodeWrong';
  });
}

/** The password is enough only for an account without a second factor. */
async function stepUpWithPassword(deps: Deps, renewal: Renewal, password: string) {
  const { actor } = renewal;
  await deps.throttle.charge(lanesOf(actor));
  // Hashing is slow, so it is done before the account is locked.
  const passwordHash = openPasswordHash(await selectOwnCredential(deps.database, actor.id));
  const fits = await passwordFits(password, passwordHash, 'known');
  return verifyLocked(deps, actor, async (tx) => {
    if (await hasSecondFactor(tx, actor.id)) throw new Refusal('FactorRequired');
    const isSame = openPasswordHash(await selectOwnCredential(tx, actor.id)) === passwordHash;
    return fits && isSame ? finishStepUp(tx, renewal, actor.factor) : 'PasswordWrong';
  });
}

async function finishStepUp(tx: Tx, renewal: Renewal, factor: Factor | null) {
  await recordAudit(tx, { actorId: renewal.actor.id, action: 'auth.step-up', details: { factor } });
  return renewSession(tx, renewal, factor);
}

type Wrong = 'CodeWrong' | 'PasswordWrong' | 'PasskeyRefused';
type Verify<T> = (tx: Tx) => Promise<T | Wrong>;

/** By session, so that a stolen session cannot use up the attempts of the administrator. */
const lanesOf = ({ sessionId }: Actor): Lane[] => [{ name: 'own', key: sessionId }];

/** Throttles the attempt, locks the account so that attempts run one at a time, and audits a wrong one. */
export async function withThrottledVerification<T extends object>(deps: Deps, actor: Actor, verify: Verify<T>) {
  await deps.throttle.charge(lanesOf(actor));
  return verifyLocked(deps, actor, verify);
}

async function verifyLocked<T extends object>({ database, throttle }: Deps, actor: Actor, verify: Verify<T>) {
  const verified = await inActorTransaction(database, actor, async (tx) => {
    await lockLiveAdmin(tx, actor.id);
    return verify(tx);
  });
  if (typeof verified !== 'string') {
    await throttle.refund(lanesOf(actor));
    return verified;
  }
  const act = { actorId: actor.id, action: 'auth.verification-refused', details: { why: verified } } as const;
  await database.transaction().execute((tx) => recordAudit(tx, act));
  throw new Refusal(verified);
}
