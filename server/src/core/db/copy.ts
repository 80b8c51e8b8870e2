import { type Duplex, Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CompiledQuery } from 'kysely';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import type { Pool } from './db.ts';

/** What a column can hold on its way in; the row is an array in the order of the statement's columns. */
type Field = string | number | bigint | boolean | Date | null;

/** Loads rows with one `copy … from stdin`. They are made while they are sent, so that any number of them fits. */
export type CopyIn = (statement: string, rows: Iterable<readonly Field[]>) => Promise<void>;

export function copyInto(pool: Pool): CopyIn {
  return async (statement, rows) => {
    const client = await pool.connect();
    try {
      await pipeline(Readable.from(chunksOf(rows), { objectMode: false }), client.query(from(statement)));
    } finally {
      client.release();
    }
  };
}

const chunkLength = 256 * 1024;

function* chunksOf(rows: Iterable<readonly Field[]>) {
  let chunk = '';
  for (const row of rows) {
    chunk += `${row.map(written).join('\t')}\n`;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

const meaningful = /[\\\t\n\r]/;
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function written(field: Field) {
  if (field === null) return '\\N';
  if (field instanceof Date) return field.toISOString();
  if (typeof field !== 'string') return String(field);
  return meaningful.test(field) ? field.replaceAll(/[\\\t\n\r]/g, (letter) => escapes[letter] ?? letter) : field;
}

type Copied = {
  query: CompiledQuery;
  /** Columns whose cells are always in quotes, whatever is in them. */
  quoted: readonly string[];
};
type CopyOut = Copied & { through: Duplex; into: Writable; signal: AbortSignal };

/** Rows as lines of CSV, straight from PostgreSQL into the stream: however many there are, few are ever in memory. */
export async function copyOut(pool: Pool, { through, into, signal, ...copied }: CopyOut) {
  signal.throwIfAborted();
  const client = await pool.connect();
  let complete = false;
  try {
    const rows = client.query(to(copyStatement(copied)));
    // A connection that is cut speaks once more after the pipeline has stopped listening.
    rows.on('error', () => undefined);
    await pipeline(rows, through, into, { signal });
    complete = true;
  } finally {
    // In the middle of a COPY there is no other way to stop it than to hang up.
    client.release(!complete);
  }
}

export function copyStatement({ query, quoted }: Copied) {
  const columns = quoted.map((column) => pg.escapeIdentifier(column)).join(', ');
  return `copy (${withLiterals(query)}) to stdout (format csv, force_quote (${columns}))`;
}

/** COPY takes no parameters: each is written into its text. */
function withLiterals({ sql, parameters }: CompiledQuery) {
  return sql.replaceAll(/\$(\d+)/g, (_, place: string) => literal(parameters[Number(place) - 1]));
}

function literal(value: unknown) {
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  throw new Error('COPY takes text and whole numbers only.');
}
