import { fitsKeyedHash, keyedHash } from '#server/core/keys.ts';

/**
 * How an administrator proved who they are, in addition to the password or in its place. `provider`: the provider of
 * single sign-on asked for a second factor.
 */
export type Factor = 'totp' | 'recovery' | 'passkey' | 'provider';

/** The columns that say who is signed in with which secrets and factor, and until when. */
export type SealedSession = {
  id: string;
  adminId: string;
  tokenHash: Buffer;
  cookieHash: Buffer | null;
  createdAt: Date;
  endsAt: Date;
  /** The second factor, if any. */
  factor: string | null;
};

const textOf = ({ id, adminId, tokenHash, cookieHash, createdAt, endsAt, factor }: SealedSession) =>
  JSON.stringify([
    id,
    adminId,
    tokenHash.toString('base64'),
    cookieHash?.toString('base64') ?? null,
    createdAt.toISOString(),
    endsAt.toISOString(),
    factor,
  ]);

/** Returns the seal of a session. Without the key outside the database, a session can be neither made nor changed. */
export const sealSession = (session: SealedSession) => keyedHash('session rows', textOf(session));

export const isGenuineSession = ({ seal, ...session }: SealedSession & { seal: Buffer }) =>
  fitsKeyedHash('session rows', textOf(session), seal);
