import { type Duplex, Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CompiledQuery } from 'kysely';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import type { Pool } from './db.ts';

/** A value to load into a column. A row is an array in the order of the statement's columns. */
export type Field = string | number | bigint | boolean | Date | Buffer | null;

/** Loads rows with one `copy … from stdin`. The rows are streamed, so memory use does not grow with their number. */
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

/** Loads rows that arrive some hundred at a time, for example while a file is read. */
export type CopyBatches = (statement: string, batches: AsyncIterable<readonly (readonly Field[])[]>) => Promise<void>;

export function copyBatchesInto(pool: Pool): CopyBatches {
  return async (statement, batches) => {
    const client = await pool.connect();
    let complete = false;
    try {
      await pipeline(Readable.from(linesOf(batches), { objectMode: false }), client.query(from(statement)));
      complete = true;
    } finally {
      // A COPY that was interrupted leaves its connection in the middle of the protocol.
      client.release(!complete);
    }
  };
}

async function* linesOf(batches: AsyncIterable<readonly (readonly Field[])[]>) {
  for await (const rows of batches) {
    // A stream stops at an empty chunk.
    if (rows.length > 0) yield rows.map((row) => `${row.map(encodeField).join('\t')}\n`).join('');
  }
}

const chunkLength = 256 * 1024;

function* chunksOf(rows: Iterable<readonly Field[]>) {
  let chunk = '';
  for (const row of rows) {
    chunk += `${row.map(encodeField).join('\t')}\n`;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

const needsEscape = /[\\\t\n\r]/;
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function encodeField(field: Field) {
  if (field === null) return '\\N';
  if (field instanceof Date) return field.toISOString();
  if (field instanceof Buffer) return `\\\\x${field.toString('hex')}`;
  if (typeof field !== 'string') return String(field);
  return needsEscape.test(field) ? field.replaceAll(/[\\\t\n\r]/g, (letter) => escapes[letter] ?? letter) : field;
}

type CopySource = {
  query: CompiledQuery;
  /** Columns whose values are always quoted. */
  quoted: readonly string[];
};
type CopyOut = CopySource & { through: Duplex; into: Writable; signal: AbortSignal };

/** Streams rows as CSV from PostgreSQL into `into`, so that few of them are in memory at a time. */
export async function copyOut(pool: Pool, { through, into, signal, ...source }: CopyOut) {
  signal.throwIfAborted();
  const client = await pool.connect();
  let complete = false;
  try {
    const rows = client.query(to(copyStatement(source)));
    // A lost connection emits one more error after the pipeline has removed its listeners.
    rows.on('error', () => undefined);
    await pipeline(rows, through, into, { signal });
    complete = true;
  } finally {
    // A running COPY can only be stopped by closing its connection.
    client.release(!complete);
  }
}

export function copyStatement({ query, quoted }: CopySource) {
  const columns = quoted.map((column) => pg.escapeIdentifier(column)).join(', ');
  const forced = columns === '' ? '' : `, force_quote (${columns})`;
  return `copy (${withLiterals(query)}) to stdout (format csv${forced})`;
}

/** COPY takes no parameters, so they are written into its text as literals. */
function withLiterals({ sql, parameters }: CompiledQuery) {
  return sql.replaceAll(/\$(\d+)/g, (_, place: string) => literal(parameters[Number(place) - 1]));
}

function literal(value: unknown) {
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  throw new Error('COPY takes text and whole numbers only.');
}
