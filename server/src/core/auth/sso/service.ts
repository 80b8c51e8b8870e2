import pLimit from 'p-limit';
import type { Config } from '#server/config.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { admitAdmin, where } from '../admission.ts';
import { hasSecondFactor, consumeCode } from '../factors/codes.ts';
import { lockLiveAdmin } from '../queries.ts';
import { type LaneDeps, lanesFor, refund } from '../sign-in-lanes.ts';
import type { Client } from '../sessions.ts';
import type { Claims, SsoSettings } from './provider.ts';
import { hasIdentity, insertIdentity, selectLinkedAdmin, selectUnlinkedAdmin } from './queries.ts';
import { allowsAccount } from './roles.ts';

type Deps = LaneDeps & { lifetime: Config['session']; settings: SsoSettings };
/** A sign-in at the provider may be as old as that. */
type SignInDeps = Deps & { maxAgeSeconds: number };
type From = { client: Client; address: string; device: string | undefined };
/** `exchange` asks the provider who signed in. */
type SignIn = From & { exchange: () => Promise<Claims | undefined> };

/** Whom the provider has named, while the code of their second factor is missing. */
export type Named = { adminId: string; subject: string };

/** The provider is asked a few times at once, however many browsers come back from it. */
const exchanges = pLimit(8);
const exchangesWaiting = 40;

/**
 * Signs in the administrator whom the provider names, or throws `SsoFailed`, `SsoNotPermitted` or `SsoNotRecent`.
 * Returns only whom it named if the account has a second factor and the provider has not just asked for one. Failures
 * count toward the limits of the device or network, as those of passwords do.
 */
export async function signInWithSso(deps: SignInDeps, { exchange, client, address, device }: SignIn) {
  const { throttle } = deps;
  const { lanes, database } = lanesFor(deps, { address, device });
  throttle.chargeInMemory(lanes);
  if (exchanges.pendingCount >= exchangesWaiting) {
    throttle.refundInMemory(lanes);
    throw new Refusal('Busy', { retryAfterSeconds: 2 });
  }
  await throttle.charge(lanes);
  const claims = await exchanges(exchange);
  const outcome = await database
    .transaction()
    .execute((tx) =>
      claims ? admitClaimed(tx, deps, { claims, client, device }) : refuse(tx, { code: 'SsoFailed', client }),
    );
  if (typeof outcome === 'string') throw new Refusal(outcome);
  await refund(throttle, lanes);
  return outcome;
}

/** Finishes the sign-in of someone whom the provider has named, with a code. Throws `CodeWrong`. */
export async function signInWithSsoCode(deps: Deps, { named, code, ...from }: From & { named: Named; code: string }) {
  const { throttle, lifetime, settings } = deps;
  const { client, device } = from;
  const place = lanesFor(deps, from);
  const lanes = [...place.lanes, { name: 'own', key: named.adminId } as const];
  throttle.chargeInMemory(lanes);
  await throttle.charge(lanes);
  const outcome = await place.database.transaction().execute(async (tx) => {
    const credential = await lockLiveAdmin(tx, named.adminId);
    if (!credential) return refuse(tx, { code: 'SsoFailed', client });
    if (credential.hasExpired) return refuse(tx, { code: 'TemporaryPasswordExpired', client });
    const factor = await consumeCode(tx, named.adminId, code);
    if (!factor) return refuse(tx, { code: 'CodeWrong', client, adminId: named.adminId });
    return completeSsoLogin(tx, { named, issuer: settings.issuer, client, device, lifetime, factor });
  });
  if (typeof outcome === 'string') throw new Refusal(outcome);
  await refund(throttle, lanes);
  return outcome;
}

type Admission = { claims: Claims; client: Client; device: string | undefined };

async function admitClaimed(
  tx: Tx,
  { settings, lifetime, maxAgeSeconds }: SignInDeps,
  { claims, client, device }: Admission,
) {
  const identity = { issuer: settings.issuer, subject: claims.sub };
  const linked = await selectLinkedAdmin(tx, identity);
  if (linked && !linked.isGenuine) return refuse(tx, { code: 'SsoNotPermitted', client });
  const name = claims[settings.usernameClaim];
  const admin = linked ?? (typeof name === 'string' ? await selectUnlinkedAdmin(tx, name) : undefined);
  const credential = admin && (await lockLiveAdmin(tx, admin.id));
  if (!credential || !allowsAccount(settings.roles, claims[settings.rolesClaim], admin)) {
    return refuse(tx, { code: 'SsoNotPermitted', client });
  }
  if (credential.hasExpired) return refuse(tx, { code: 'TemporaryPasswordExpired', client });
  const named = { adminId: admin.id, subject: claims.sub };
  // A new session counts as a recent proof of who somebody is, so there must be one.
  const isRecent = signedInWithin(claims, maxAgeSeconds);
  const factor = isRecent && providerAskedForSecondFactor(claims) ? 'provider' : null;
  if (!factor && (await hasSecondFactor(tx, admin.id))) return { named };
  if (!isRecent) return refuse(tx, { code: 'SsoNotRecent', client, adminId: admin.id });
  return completeSsoLogin(tx, { named, issuer: settings.issuer, client, device, lifetime, factor });
}

const skewSeconds = 60;

/** Whether the provider says that it has just asked for the password or the like. Some never say when they did. */
const signedInWithin = ({ auth_time: at }: Claims, seconds: number) =>
  typeof at === 'number' && at > Date.now() / 1000 - seconds - skewSeconds;

/** RFC 8176. Providers that name the single methods only do not say that there were two. */
const providerAskedForSecondFactor = ({ amr }: Claims) => Array.isArray(amr) && amr.includes('mfa');

type Admitting = Omit<Parameters<typeof admitAdmin>[1], 'adminId' | 'proof'> & { named: Named; issuer: string };

/** The first sign-in with all its factors links the identity. */
async function completeSsoLogin(tx: Tx, { named: { adminId, subject }, issuer, ...admission }: Admitting) {
  const isLinked = await hasIdentity(tx, adminId);
  if (!isLinked) await insertIdentity(tx, adminId, { issuer, subject });
  return admitAdmin(tx, { ...admission, adminId, proof: { sso: issuer, ...(!isLinked && { linked: subject }) } });
}

type Refused = 'SsoFailed' | 'SsoNotPermitted' | 'SsoNotRecent' | 'TemporaryPasswordExpired' | 'CodeWrong';

type Refusing = { code: Refused; client: Client; adminId?: string | null };

/** Returns the code instead of throwing it: throwing would roll back the audit row. */
async function refuse(tx: Tx, { code, client, adminId = null }: Refusing) {
  await recordAudit(tx, { actorId: adminId, action: 'auth.sign-in-refused', details: { ...where(client), sso: code } });
  return code;
}
