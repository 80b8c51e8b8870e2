import { createHash } from 'node:crypto';
import { verifyRegistrationResponse } from '@simplewebauthn/server';
import type { Assertion } from 'contract/approvals-signature.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Config } from '#server/config.ts';
import type { Database } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { admitAdmin, where } from '../admission.ts';
import { inActorTransaction } from '../actor-transaction.ts';
import { setRequiresFactor } from '../credentials.ts';
import { lockLiveAdmin } from '../queries.ts';
import type { Client } from '../sessions.ts';
import { type LaneDeps, lanesFor, refund } from '../sign-in-lanes.ts';
import type { Throttle } from '../throttle.ts';
import { clientDataOf, consumeAssertion, originMatchesRpId } from './assertion.ts';
import { isValidChallenge, consumeChallenge } from './challenges.ts';
import { renewRecoveryCodes, consumeCode } from './codes.ts';
import { insertPasskey, markRemoved, selectPasskeyByCredential } from './passkey-queries.ts';
import { countRecoveryCodes } from './queries.ts';
import { type Renewal, replaceSessions } from './renew.ts';
import { finishFactorRemoval, withThrottledVerification } from './service.ts';

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
    if (!(await consumeChallenge(tx, challenge))) throw new Refusal('PasskeyRefused');
    const added = await insertPasskey(tx, { ...passkey, adminId: actor.id, name });
    if (!added) throw new Refusal('PasskeyRefused');
    await setRequiresFactor(tx, actor.id, true);
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
  if (!client || !rpId || !originMatchesRpId(client.origin, rpId)) throw new Refusal('PasskeyRefused');
  if (!isValidChallenge(`add ${actor.id}`, client.challenge)) throw new Refusal('PasskeyRefused');
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
  return withThrottledVerification(deps, actor, async (tx) => {
    if (!(await consumeCode(tx, actor.id, code))) return 'CodeWrong';
    const removed = await markRemoved(tx, { id, adminId: actor.id });
    if (!removed) throw new Refusal('PasskeyNotFound');
    const session = await finishFactorRemoval(tx, renewal);
    await recordAudit(tx, { actorId: actor.id, action: 'auth.remove-passkey', subjectId: id, details: removed });
    return session;
  });
}

type PasskeyLogin = {
  assertion: Assertion;
  client: Client;
  address: string;
  device: string | undefined;
  lifetime: Config['session'];
};

/** Signs in with a passkey alone: its holder was verified by the authenticator. */
export async function signInWithPasskey(deps: LaneDeps, { assertion, address, ...login }: PasskeyLogin) {
  const { throttle } = deps;
  const { lanes, database } = lanesFor(deps, { address, device: login.device });
  throttle.chargeInMemory(lanes);
  const challenge = clientDataOf(assertion.clientDataJSON)?.challenge ?? '';
  // Costs neither a connection nor an audit row.
  if (!isValidChallenge('login', challenge)) throw new Refusal('PasskeyRefused');
  await throttle.charge(lanes);
  const passkey = await selectPasskeyByCredential(database, assertion.credentialId);
  if (!passkey) throw new Refusal('PasskeyRefused');
  const { adminId } = passkey;
  const session = await database.transaction().execute(async (tx) => {
    const isSigned = (await lockLiveAdmin(tx, adminId)) && (await consumeAssertion(tx, adminId, assertion));
    if (isSigned) return admitAdmin(tx, { ...login, adminId, factor: 'passkey', proof: { passkey: passkey.id } });
    await recordAudit(tx, { actorId: adminId, action: 'auth.sign-in-refused', details: where(login.client) });
    return undefined;
  });
  if (!session) throw new Refusal('PasskeyRefused');
  await refund(throttle, lanes);
  return session;
}
