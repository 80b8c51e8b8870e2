import { fitsKeyedHash, keyedHash } from '#server/core/keys.ts';

/** The columns that say who is signed in with which secrets, and until when. */
export type SealedSession = {
  id: string;
  adminId: string;
  tokenHash: Buffer;
  cookieHash: Buffer | null;
  createdAt: Date;
  endsAt: Date;
};

const textOf = ({ id, adminId, tokenHash, cookieHash, createdAt, endsAt }: SealedSession) =>
  JSON.stringify([
    id,
    adminId,
    tokenHash.toString('base64'),
    cookieHash?.toString('base64') ?? null,
    createdAt.toISOString(),
    endsAt.toISOString(),
  ]);

/** Returns the seal of a session. Without the key outside the database, a session can be neither made nor changed. */
export const sealSession = (session: SealedSession) => keyedHash('session rows', textOf(session));

export const isGenuineSession = ({ seal, ...session }: SealedSession & { seal: Buffer }) =>
  fitsKeyedHash('session rows', textOf(session), seal);
