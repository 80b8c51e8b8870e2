import type { SecretPlace } from '#server/core/sealed-secret.ts';
import type { Tx } from './db.ts';

type Row = { id: string; place: SecretPlace; sealed: Buffer };

/** The page starts after this id. `current` is the name of the key with which nothing has to be done. */
type Page = { after: string; limit: number; current: Buffer };

/** Sealed values as bytes in base64, which a statement reads as one JSON text. */
export type Resealed = { id: string; sealed: string };

/** Rows with an HMAC, which are few: administrators have them. */
export type KeyedRows = {
  /** What they are, for people. */
  name: string;
  /** Locks all rows, and returns their HMACs as they should be. Undefined for one that no key of ours made. */
  lockAll: (tx: Tx) => Promise<{ id: string; seal: Buffer; renewed: Buffer | undefined }[]>;
  store: (tx: Tx, row: { id: string; renewed: Buffer }) => Promise<unknown>;
};

/** The encrypted values of one table, for the rotation of their key. */
export type SealedRows = {
  /** What they are, for people. */
  name: string;
  /** Locks the next rows, in the order of their ids, whose value is sealed with another key than the current one. */
  lockOutdated: (tx: Tx, page: Page) => Promise<Row[]>;
  store: (tx: Tx, rows: readonly Resealed[]) => Promise<void>;
};
