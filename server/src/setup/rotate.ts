import { recordAudit } from '#server/core/audit/audit.ts';
import { sealedPasskeys } from '#server/core/auth/factors/passkey-queries.ts';
import { sealedRecoveryCodes, sealedTotpSecrets } from '#server/core/auth/factors/sealed.ts';
import { sealedPasswordHashes } from '#server/core/auth/sealed.ts';
import { sealedIdentities } from '#server/core/auth/sso/queries.ts';
import type { Database, Tx } from '#server/core/db/db.ts';
import type { KeyedRows, Resealed, SealedRows } from '#server/core/db/sealed-rows.ts';
import { currentKeyId, openIfGenuine, seal } from '#server/core/keys.ts';
import type { SecretPlace } from '#server/core/sealed-secret.ts';
import { selectImports } from '#server/features/imports/queries.ts';
import { sealedSecretDigests } from '#server/features/integrations/keys/sealed.ts';
import { sealedWebhookSecrets } from '#server/features/integrations/webhooks/sealed.ts';
import { sealedPrivateKeys } from '#server/features/users/sealed.ts';

/** Every table with encrypted values: a new one does not compile before it is rotated too. */
const sealedTables: Record<SecretPlace['table'], SealedRows> = {
  admin_credential: sealedPasswordHashes,
  api_key_secret: sealedSecretDigests,
  totp_factor: sealedTotpSecrets,
  recovery_code: sealedRecoveryCodes,
  user_secret: sealedPrivateKeys,
  webhook_secret: sealedWebhookSecrets,
};

/** Sessions, devices and downloads have HMACs too, but end by themselves. */
const keyedTables: Record<string, KeyedRows> = { passkey: sealedPasskeys, sso_identity: sealedIdentities };

const rowsAtOnce = 500;
const firstId = '00000000-0000-0000-0000-000000000000';

type Deps = { database: Database; print: (line: string) => void };

/**
 * Encrypts again with the current key what is encrypted with the previous one. Programs that have both keys can run
 * meanwhile. After an interruption, run it again. Returns the number of values that neither key opens;
 * they stay as they are. Needs the owner of the tables.
 */
export async function rotateSecrets({ database, print }: Deps) {
  if ((await selectImports(database)).some(({ finishedAt }) => finishedAt === null)) {
    throw new Error('An import is not finished, and its files are encrypted with the previous key. Finish it first.');
  }
  const record = (action: `secrets.${string}`, details: Record<string, unknown>) =>
    database.transaction().execute((tx) => recordAudit(tx, { actorId: null, action, details }));
  await record('secrets.start-rotation', {});
  const counts: Record<string, number> = {};
  let unreadable = 0;
  const report = (table: string, name: string, done: Done) => {
    counts[table] = done.resealed;
    unreadable += done.unreadable.length;
    print(`${name}: ${done.resealed} renewed with the new key`);
    for (const id of done.unreadable) print(`${name}: neither key opens ${table} ${id}`);
  };
  for (const [table, rows] of Object.entries(sealedTables) as [SecretPlace['table'], SealedRows][]) {
    report(table, rows.name, await rotateTable(database, { rows, current: currentKeyId(table) }));
  }
  for (const [table, rows] of Object.entries(keyedTables)) {
    report(table, rows.name, await database.transaction().execute((tx) => renewKeyed(tx, rows)));
  }
  await record('secrets.finish-rotation', { resealed: counts, unreadable });
  return unreadable;
}

type Done = { resealed: number; unreadable: string[] };

async function renewKeyed(tx: Tx, rows: KeyedRows): Promise<Done> {
  const done: Done = { resealed: 0, unreadable: [] };
  for (const { id, seal: stored, renewed } of await rows.lockAll(tx)) {
    if (!renewed) done.unreadable.push(id);
    else if (!renewed.equals(stored)) {
      await rows.store(tx, { id, renewed });
      done.resealed += 1;
    }
  }
  return done;
}

type Rotation = { rows: SealedRows; current: Buffer };

/**
 * Repeats its pass until one finds nothing to renew: a program that still uses the previous key can write a row that the
 * current pass has already read past.
 */
async function rotateTable(database: Database, rotation: Rotation) {
  let resealed = 0;
  for (;;) {
    const pass = await rotateOnce(database, rotation);
    resealed += pass.resealed;
    if (pass.resealed === 0) return { resealed, unreadable: pass.unreadable };
  }
}

async function rotateOnce(database: Database, rotation: Rotation) {
  const unreadable: string[] = [];
  let resealed = 0;
  let after: string | undefined = firstId;
  while (after !== undefined) {
    const page: Rotation & { after: string } = { ...rotation, after };
    const batch: Batch = await database.transaction().execute((tx) => rotateBatch(tx, page));
    resealed += batch.resealed;
    unreadable.push(...batch.unreadable);
    after = batch.last;
  }
  return { resealed, unreadable };
}

type Batch = Done & { last: string | undefined };

async function rotateBatch(tx: Tx, { rows, current, after }: Rotation & { after: string }): Promise<Batch> {
  const outdated = await rows.lockOutdated(tx, { after, limit: rowsAtOnce, current });
  const unreadable: string[] = [];
  const resealed: Resealed[] = [];
  for (const { id, place, sealed } of outdated) {
    const secret = openIfGenuine(place, sealed);
    if (secret === undefined) unreadable.push(id);
    else resealed.push({ id, sealed: seal(place, secret).toString('base64') });
  }
  if (resealed.length > 0) await rows.store(tx, resealed);
  return { resealed: resealed.length, unreadable, last: outdated.at(-1)?.id };
}
