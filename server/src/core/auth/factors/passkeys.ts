import { createHash } from 'node:crypto';
import { verifyRegistrationResponse } from '@simplewebauthn/server';
import type { Assertion } from 'contract/approvals-signature.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Config } from '#server/config.ts';
import type { Database, Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { where } from '../admission.ts';
import { inActorTransaction } from '../actor-transaction.ts';
import { lockLiveAdmin } from '../queries.ts';
import { type Client, startSession } from '../sessions.ts';
import { type LaneDeps, networkLanes, refund } from '../sign-in-lanes.ts';
import type { Throttle } from '../throttle.ts';
import { belongsTo, clientDataOf, verifyAssertion } from './assertion.ts';
import { isOwnChallenge, answerChallenge } from './challenges.ts';
import { renewRecoveryCodes, takeCode } from './codes.ts';
import {
  insertPasskey,
  markRemoved,
  selectPasskeyByCredential,
  type StoredPasskey,
  touchPasskey,
} from './passkey-queries.ts';
import { countRecoveryCodes } from './queries.ts';
import { type Renewal, replaceSessions } from './renew.ts';
import { endFactor, withProof } from './service.ts';

type Deps = { database: Database; throttle: Throttle };

type NewPasskey = Renewal & {
  name: string;
  credentialId: string;
  clientDataJSON: string;
  attestationObject: string;
};

/** Identifies a public key in the audit log, with which `audit verify` finds a key that was put in its place. */
export const publicKeyHash = (publicKey: Buffer) => createHash('sha256').update(publicKey).digest('hex');

/** Adds a passkey. Returns a new session, as all others end, and recovery codes if the account had none. */
export async function addPasskey(database: Database, given: NewPasskey) {
  const { actor, name } = given;
  const { challenge, passkey } = await verifyRegistration(given);
  return inActorTransaction(database, actor, async (tx) => {
    await lockLiveAdmin(tx, actor.id);
    if (!(await answerChallenge(tx, challenge))) throw new Refusal('PasskeyRefused');
    const added = await insertPasskey(tx, { ...passkey, adminId: actor.id, name });
    if (!added) throw new Refusal('PasskeyRefused');
    const hadCodes = (await countRecoveryCodes(tx, actor.id)) > 0;
    const recoveryCodes = hadCodes ? null : await renewRecoveryCodes(tx, actor.id);
    const session = await replaceSessions(tx, given, 'passkey');
    const { credentialId, rpId, publicKey } = passkey;
    const details = { name, credentialId, rpId, publicKey: publicKeyHash(publicKey) };
    await recordAudit(tx, { actorId: actor.id, action: 'auth.add-passkey', subjectId: added.id, details });
    return { session, recoveryCodes };
  });
}

async function verifyRegistration(given: NewPasskey) {
  const { actor, credentialId: id, clientDataJSON, attestationObject } = given;
  const client = clientDataOf(clientDataJSON);
  const rpId = client && URL.parse(client.origin)?.hostname;
  if (!client || !rpId || !belongsTo(client.origin, rpId)) throw new Refusal('PasskeyRefused');
  if (!isOwnChallenge(`add ${actor.id}`, client.challenge)) throw new Refusal('PasskeyRefused');
  const verified = await verifyRegistrationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON, attestationObject },
    },
    expectedChallenge: client.challenge,
    expectedOrigin: client.origin,
    expectedRPID: rpId,
    requireUserVerification: true,
  }).catch(() => {
    // The library throws for everything that does not fit.
    throw new Refusal('PasskeyRefused');
  });
  if (!verified.verified) throw new Refusal('PasskeyRefused');
  const { credential } = verified.registrationInfo;
  const publicKey = Buffer.from(credential.publicKey);
  const passkey = { credentialId: credential.id, publicKey, rpId, signCount: credential.counter };
  return { challenge: client.challenge, passkey };
}

type Removal = Renewal & { id: string; code: string };

/** Removes a passkey. It takes a code, so that a stolen session with the password cannot do it. */
export function removePasskey(deps: Deps, { id, code, ...renewal }: Removal) {
  const { actor } = renewal;
  return withProof(deps, actor, async (tx) => {
    if (!(await takeCode(tx, actor.id, code))) return 'CodeWrong';
    const removed = await markRemoved(tx, { id, adminId: actor.id });
    if (!removed) throw new Refusal('PasskeyNotFound');
    const session = await endFactor(tx, renewal);
    await recordAudit(tx, { actorId: actor.id, action: 'auth.remove-passkey', subjectId: id, details: removed });
    return session;
  });
}

type PasskeyLogin = { assertion: Assertion; client: Client; address: string; lifetime: Config['session'] };

/** Signs in with a passkey alone: its holder was verified by the authenticator. */
export async function signInWithPasskey({ strangers: database, throttle }: LaneDeps, login: PasskeyLogin) {
  const { assertion, client, address, lifetime } = login;
  const lanes = networkLanes(address);
  throttle.chargeInMemory(lanes);
  await throttle.charge(lanes);
  const challenge = clientDataOf(assertion.clientDataJSON)?.challenge ?? '';
  const passkey = isOwnChallenge('login', challenge)
    ? await selectPasskeyByCredential(database, assertion.credentialId)
    : undefined;
  const count = passkey && (await verifyAssertion(passkey, assertion, challenge));
  const session =
    passkey &&
    count !== undefined &&
    (await database.transaction().execute(async (tx) => {
      const { adminId } = passkey;
      if (!(await lockLiveAdmin(tx, adminId))) return undefined;
      if (!(await isStillValid(tx, passkey, { challenge, count }))) return undefined;
      const started = await startSession(tx, adminId, { client, lifetime, factor: 'passkey' });
      const details = { ...where(client), passkey: passkey.id };
      await recordAudit(tx, { actorId: adminId, action: 'auth.sign-in', details });
      return started;
    }));
  if (session) {
    await refund(throttle, lanes);
    return session;
  }
  const act = { actorId: passkey?.adminId ?? null, action: 'auth.sign-in-refused', details: where(client) } as const;
  await database.transaction().execute((tx) => recordAudit(tx, act));
  throw new Refusal('PasskeyRefused');
}

type Use = { challenge: string; count: number };

/** Uses up the challenge, in the transaction that holds the lock of the account. */
async function isStillValid(tx: Tx, passkey: StoredPasskey, use: Use) {
  const current = await selectPasskeyByCredential(tx, passkey.credentialId);
  if (!current || !(await answerChallenge(tx, use.challenge))) return false;
  return touchPasskey(tx, passkey.id, use.count);
}
