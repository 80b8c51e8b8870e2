import pLimit from 'p-limit';
import type { Config } from '#server/config.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { admitAdmin, where } from '../admission.ts';
import { lockLiveAdmin } from '../queries.ts';
import { deviceLane, type LaneDeps, networkLanes, refund } from '../sign-in-lanes.ts';
import type { Client } from '../sessions.ts';
import type { Claims, SsoSettings } from './provider.ts';
import { insertIdentity, selectLinkedAdmin, selectUnlinkedAdmin } from './queries.ts';
import { allowsAccount } from './roles.ts';

type Deps = LaneDeps & { lifetime: Config['session']; settings: SsoSettings };
type SignIn = {
  /** Asks the provider who signed in. */
  exchange: () => Promise<Claims | undefined>;
  client: Client;
  address: string;
  device: string | undefined;
};

/** The provider is asked a few times at once, however many browsers come back from it. */
const exchanges = pLimit(8);
const exchangesWaiting = 40;

/**
 * Signs in the administrator whom the provider names, or throws `SsoFailed` or `SsoNotPermitted`. Failures count toward
 * the limits of the device or network, as those of passwords do.
 */
export async function signInWithSso(deps: Deps, { exchange, client, address, device }: SignIn) {
  const { throttle } = deps;
  const lanes = device === undefined ? networkLanes(address) : [deviceLane(device)];
  const database = device === undefined ? deps.strangers : deps.database;
  throttle.chargeInMemory(lanes);
  if (exchanges.pendingCount >= exchangesWaiting) {
    throttle.refundInMemory(lanes);
    throw new Refusal('Busy', { retryAfterSeconds: 2 });
  }
  await throttle.charge(lanes);
  const claims = await exchanges(exchange);
  const outcome = await database
    .transaction()
    .execute((tx) => (claims ? admitClaimed(tx, deps, { claims, client, device }) : refuse(tx, 'SsoFailed', client)));
  if (typeof outcome === 'string') throw new Refusal(outcome);
  await refund(throttle, lanes);
  return outcome;
}

type Admission = { claims: Claims; client: Client; device: string | undefined };

async function admitClaimed(tx: Tx, { settings, lifetime }: Deps, { claims, client, device }: Admission) {
  const identity = { issuer: settings.issuer, subject: claims.sub };
  const linked = await selectLinkedAdmin(tx, identity);
  if (linked && !linked.isGenuine) return refuse(tx, 'SsoNotPermitted', client);
  const name = claims[settings.usernameClaim];
  const admin = linked ?? (typeof name === 'string' ? await selectUnlinkedAdmin(tx, name) : undefined);
  const credential = admin && (await lockLiveAdmin(tx, admin.id));
  if (!credential || !allowsAccount(settings.roles, claims[settings.rolesClaim], admin)) {
    return refuse(tx, 'SsoNotPermitted', client);
  }
  if (credential.hasExpired) return refuse(tx, 'TemporaryPasswordExpired', client);
  if (!linked) await insertIdentity(tx, admin.id, identity);
  const proof = { sso: identity.issuer, ...(!linked && { linked: identity.subject }) };
  return admitAdmin(tx, { adminId: admin.id, client, device, lifetime, proof });
}

/** Returns the code instead of throwing it: throwing would roll back the audit row. */
async function refuse(tx: Tx, code: 'SsoFailed' | 'SsoNotPermitted' | 'TemporaryPasswordExpired', client: Client) {
  await recordAudit(tx, { actorId: null, action: 'auth.sign-in-refused', details: { ...where(client), sso: code } });
  return code;
}
