import { createReadStream } from 'node:fs';
import type { ImportFile } from './files.ts';

/** A row of a file: its values in the order of the columns, or undefined if it cannot be read. */
export type Row = { row: number; values: readonly unknown[] | undefined };

/** The names of the columns, and then the rows, some hundred at a time. */
export type Records = { columns: string[]; batches: AsyncIterable<Row[]> };

/** A quoted field can have line breaks, and its end can be missing. No field of an import is this long. */
const longestRow = 1_000_000;

/** Opens a file. The columns of NDJSON are all that `known` lists, because each row can have other ones. */
export async function openRecords({ path, format }: ImportFile, known: readonly string[]): Promise<Records> {
  const text = createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 });
  return format === 'csv' ? openCsv(text) : { columns: [...known], batches: objectsOf(text, known) };
}

type Text = AsyncIterable<string>;

async function openCsv(text: Text): Promise<Records> {
  const batches = rowsOf(text, readCsvRow)[Symbol.asyncIterator]();
  const first = await batches.next();
  const rows: Row[] = first.done === true ? [] : first.value;
  const header = rows.shift()?.values ?? [];
  async function* rest() {
    if (rows.length > 0) yield rows;
    for (let next = await batches.next(); next.done !== true; next = await batches.next()) yield next.value;
  }
  return { columns: header.map((name) => String(name).trim()), batches: rest() };
}

async function* objectsOf(text: Text, known: readonly string[]) {
  for await (const rows of rowsOf(text, readLine)) {
    yield rows.map(({ row, values }) => ({ row, values: readObject(String(values?.[0]), known) }));
  }
}

/** Returns the values of an object, or undefined if it is none or has another key. */
function readObject(line: string, known: readonly string[]) {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    const object = parsed as Record<string, unknown>;
    if (Object.keys(object).some((key) => !known.includes(key))) return undefined;
    return known.map((key) => object[key]);
  } catch {
    return undefined;
  }
}

type Read = { values: string[] | undefined; next: number };

/** Reads the row that starts at a position. Returns undefined if its end is not in the text yet. */
type ReadRow = (text: string, start: number, isLast: boolean) => Read | undefined;

async function* rowsOf(text: Text, readRow: ReadRow): AsyncGenerator<Row[]> {
  let [row, rest] = [0, ''];
  function rowsIn(chunk: string, isLast: boolean) {
    const rows: Row[] = [];
    let start = 0;
    while (start < chunk.length) {
      const read = readRow(chunk, start, isLast || chunk.length - start > longestRow);
      if (!read) break;
      row += 1;
      start = read.next;
      // An empty line is no row, but counts as one.
      if (!(read.values?.length === 1 && read.values[0] === '')) rows.push({ row, values: read.values });
    }
    rest = chunk.slice(start);
    return rows;
  }
  let isFirst = true;
  for await (const chunk of text) {
    // Spreadsheets write a byte order mark.
    const rows = rowsIn(isFirst ? chunk.replace(/^\uFEFF/, '') : rest + chunk, false);
    isFirst = false;
    if (rows.length > 0) yield rows;
  }
  yield rowsIn(rest, true);
}

function lineAt(text: string, start: number, isLast: boolean) {
  const end = text.indexOf('\n', start);
  if (end < 0 && !isLast) return undefined;
  const next = end < 0 ? text.length : end + 1;
  const line = text.slice(start, end < 0 ? undefined : end);
  return { line: line.endsWith('\r') ? line.slice(0, -1) : line, next };
}

const readLine: ReadRow = (text, start, isLast) => {
  const found = lineAt(text, start, isLast);
  return found && { values: [found.line], next: found.next };
};

const readCsvRow: ReadRow = (text, start, isLast) => {
  const found = lineAt(text, start, isLast);
  if (!found) return undefined;
  if (!found.line.includes('"')) return { values: found.line.split(','), next: found.next };
  const quoted = readQuotedRow(text, start);
  // The row may go on after a line break in quotes, or end with the text that is not here yet.
  if ((!quoted || quoted.next === text.length) && !isLast) return undefined;
  return quoted ?? { values: undefined, next: found.next };
};

function readQuotedRow(text: string, start: number): Read | undefined {
  const field = /(?:"(?<quoted>[^"]*(?:""[^"]*)*)"|(?<plain>[^",\r\n]*))(?<end>,|\r?\n|$)/y;
  field.lastIndex = start;
  const values: string[] = [];
  for (let match = field.exec(text); match; match = field.exec(text)) {
    const { quoted, plain, end } = match.groups ?? {};
    values.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end !== ',') return { values, next: field.lastIndex };
  }
  return undefined;
}
