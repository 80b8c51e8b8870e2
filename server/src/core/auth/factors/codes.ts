import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Tx } from '#server/core/db/db.ts';
import { openIfGenuine, seal } from '#server/core/keys.ts';
import { requiresFactor, setRequiresFactor } from '../credentials.ts';
import type { Factor } from '../session-seal.ts';
import { hasPasskey } from './passkey-queries.ts';
import { acceptStep, deleteRecoveryCode, replaceRecoveryCodes, selectRecoveryCodes, selectTotp } from './queries.ts';
import { base32, matchingStep } from './totp.ts';

export const placeOfTotp = (adminId: string) => ({ table: 'totp_factor', id: adminId, column: 'sealed' }) as const;

export const sealTotp = (adminId: string, secret: Buffer) => seal(placeOfTotp(adminId), secret.toString('base64'));

const recoveryCodeCount = 10;

export const placeOfRecoveryCode = (id: string) => ({ table: 'recovery_code', id, column: 'sealed' }) as const;

/** A hash that was copied to another administrator is worthless. */
const hashOf = (adminId: string, code: string) => createHash('sha256').update(`${adminId} ${code}`).digest('base64');

/** Replaces the recovery codes and returns the new ones, which are stored only as encrypted hashes. */
export async function renewRecoveryCodes(tx: Tx, adminId: string) {
  const codes = Array.from({ length: recoveryCodeCount }, () => base32(randomBytes(10)).toLowerCase());
  const sealed = codes.map((code) => {
    const id = randomUUID();
    return { id, adminId, sealed: seal(placeOfRecoveryCode(id), hashOf(adminId, code)) };
  });
  await replaceRecoveryCodes(tx, adminId, sealed);
  return codes.map((code) => (code.match(/.{4}/g) ?? []).join('-'));
}

/** Whether the code is the one that the app shows, and was not accepted before. Uses it up. */
export async function consumeTotpCode(tx: Tx, adminId: string, code: string) {
  const totp = await selectTotp(tx, adminId);
  const secret = totp && openIfGenuine(placeOfTotp(adminId), totp.sealed);
  if (secret === undefined) return false;
  const step = matchingStep(Buffer.from(secret, 'base64'), code, Date.now());
  return step !== undefined && (await acceptStep(tx, adminId, step));
}

/** Uses up a code of the confirmed app or a recovery code, and returns which it was. Undefined if it is neither. */
export async function consumeCode(tx: Tx, adminId: string, code: string): Promise<Factor | undefined> {
  const plain = code.toLowerCase().replaceAll(/[\s-]/g, '');
  if (/^\d{6}$/.test(plain)) {
    const totp = await selectTotp(tx, adminId);
    return totp?.confirmedAt && (await consumeTotpCode(tx, adminId, plain)) ? 'totp' : undefined;
  }
  return (await consumeRecoveryCode(tx, adminId, plain)) ? 'recovery' : undefined;
}

async function consumeRecoveryCode(tx: Tx, adminId: string, plain: string) {
  const hash = hashOf(adminId, plain);
  const stored = await selectRecoveryCodes(tx, adminId);
  const found = stored.find(({ id, sealed }) => openIfGenuine(placeOfRecoveryCode(id), sealed) === hash);
  return found !== undefined && (await deleteRecoveryCode(tx, found.id));
}

/**
 * Whether a password alone does not sign this administrator in. The credential knows it too, so that nobody can sign in
 * with a stolen password after deleting the factor in the database.
 */
export async function hasSecondFactor(tx: Tx, adminId: string) {
  return (await requiresFactor(tx, adminId)) || (await hasStoredFactor(tx, adminId));
}

/** Whether there is an app or a passkey, by their rows. */
export async function hasStoredFactor(tx: Tx, adminId: string) {
  const totp = await selectTotp(tx, adminId);
  return totp?.confirmedAt != null || (await hasPasskey(tx, adminId));
}

type Step = { factor: Factor | null } | { refusal: 'FactorRequired' | 'CodeWrong' };

/** Checks the second step of a sign-in, whose password was right. An account without a second factor needs none. */
export async function verifySecondFactor(tx: Tx, adminId: string, code: string | undefined): Promise<Step> {
  if (!(await hasSecondFactor(tx, adminId))) return { factor: null };
  if (code === undefined) return { refusal: 'FactorRequired' };
  const factor = await consumeCode(tx, adminId, code);
  if (!factor) return { refusal: 'CodeWrong' };
  // The factor may have been added by a version whose credentials did not know of factors.
  await setRequiresFactor(tx, adminId, true);
  return { factor };
}
