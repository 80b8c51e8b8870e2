import type { Config } from '#server/config.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Tx } from '#server/core/db/db.ts';
import { keyedHash } from '#server/core/keys.ts';
import { upsertKnownDevice } from './queries.ts';
import { newSecret } from './secrets.ts';
import type { Factor } from './session-seal.ts';
import { type Client, startSession } from './sessions.ts';

type Admitted = {
  adminId: string;
  client: Client;
  device: string | undefined;
  lifetime: Config['session'];
  /** The second factor. Null if the password or the provider alone was enough. */
  factor?: Factor | null;
  /** How they proved who they are, for the audit log, unless it was their password. */
  proof?: Record<string, unknown>;
};

/** Starts the session of an administrator who has proved who they are, and makes their browser a known device. */
export async function admitAdmin(tx: Tx, { adminId, client, device, lifetime, factor = null, proof }: Admitted) {
  const session = await startSession(tx, adminId, { client, lifetime, factor });
  const secret = client.browser ? (device ?? newSecret()) : undefined;
  if (secret) await upsertKnownDevice(tx, adminId, keyedHash('devices', secret));
  const details = { ...where(client), ...(factor && { factor }), ...proof };
  await recordAudit(tx, { actorId: adminId, action: 'auth.sign-in', details });
  return { ...session, device: secret };
}

/** Where a call comes from, for the audit log. */
export const where = ({ network, device }: Client) => ({ network, device });
