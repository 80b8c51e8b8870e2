import { sql } from 'kysely';
import type { SecretPlace } from '#server/core/sealed-secret.ts';
import { runQuery, type Tx } from './db.ts';

type Row = { id: string; place: SecretPlace; sealed: Buffer };

/** The page starts after this id. `current` names the current key; rows sealed with it are skipped. */
type Page = { after: string; limit: number; current: Buffer };

/** Sealed values as bytes in base64, which a statement reads as one JSON text. */
export type Resealed = { id: string; sealed: string };

/** Rows with an HMAC, which are few: administrators have them. */
export type KeyedRows = {
  /** The name shown in the output of the rotation. */
  name: string;
  /** Locks all rows, and returns their HMACs as they should be. Undefined for one that no key of ours made. */
  lockAll: (tx: Tx) => Promise<{ id: string; seal: Buffer; renewed: Buffer | undefined }[]>;
  store: (tx: Tx, row: { id: string; renewed: Buffer }) => Promise<unknown>;
};

/** The encrypted values of one table, for the rotation of their key. */
export type SealedRows = {
  /** The name shown in the output of the rotation. */
  name: string;
  /** Locks the next rows, in the order of their ids, whose value is sealed with another key than the current one. */
  lockOutdated: (tx: Tx, page: Page) => Promise<Row[]>;
  store: (tx: Tx, rows: readonly Resealed[]) => Promise<void>;
};

/** The column that has the values, and the column that names a row. */
type Column = { table: SecretPlace['table']; key?: string; column: string };

/** The sealed values of a column whose place follows from the id of the row alone. */
export function sealedColumn({
  name,
  placeOf,
  ...column
}: Column & { name: string; placeOf: (id: string) => SecretPlace }): SealedRows {
  const [table, id, value] = [sql.table(column.table), sql.ref(column.key ?? 'id'), sql.ref(column.column)];
  return {
    name,
    async lockOutdated(tx, { after, limit, current }) {
      const rows = await runQuery<{ id: string; sealed: Buffer }>(
        tx,
        sql`select ${id} as id, ${value} as sealed from ${table}
          where ${id} > ${after}::uuid and substring(${value} from 2 for 8) <> ${current}
          order by ${id} limit ${limit} for update`,
      );
      return rows.map((row) => ({ ...row, place: placeOf(row.id) }));
    },
    store: (tx, rows) => storeResealed(tx, column, rows),
  };
}

export async function storeResealed(tx: Tx, { table, key = 'id', column }: Column, rows: readonly Resealed[]) {
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = decode(resealed.sealed, 'base64')
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as resealed (id uuid, sealed text)
    where ${sql.ref(`${table}.${key}`)} = resealed.id`.execute(tx);
}
