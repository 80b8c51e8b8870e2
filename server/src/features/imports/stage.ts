import type { Problem, ProblemCode } from 'contract/imports.ts';
import type { Field, CopyBatches } from '#server/core/db/copy.ts';
import type { Database } from '#server/core/db/db.ts';
import { type Column, columns } from './columns.ts';
import type { ImportFile, Part } from './files.ts';
import { insertProblems, staging } from './queries.ts';
import { openRecords, type Row } from './records.ts';
import { completeRow, type Fields, type Seal } from './rules.ts';

type Deps = { database: Database; copy: CopyBatches; seal: Seal };

/** The staged columns that follow from others. */
const derived: Record<Part, readonly string[]> = {
  users: ['id', 'sponsor_id'],
  balances: ['id', 'owner_id'],
  stakes: ['id', 'owner_id'],
  withdrawals: ['id', 'owner_id'],
  tickets: ['id', 'owner_id'],
};

const stagedColumns = (part: Part) => [...Object.values(columns[part]).map(({ into }) => into), ...derived[part]];

/**
 * Copies the rows of a file to its staging table and returns their number. Records a problem for each value that cannot
 * be read, and for each row whose values do not fit each other.
 */
export async function stageFile({ database, copy, seal }: Deps, file: ImportFile) {
  const known = columns[file.part];
  const records = await openRecords(file, Object.keys(known));
  const problems: Problem[] = [];
  const faulty = headerProblems(file, records.columns);
  const save = async (found: Problem[]) =>
    found.length > 0 && database.transaction().execute((tx) => insertProblems(tx, found));
  if (faulty.length > 0) {
    await save(faulty);
    return 0;
  }
  const order = stagedColumns(file.part);
  const absent = Object.entries(known).filter(([name]) => !records.columns.includes(name));
  const unset: Fields = new Map(absent.map(([, { into, ifEmpty }]) => [into, ifEmpty]));
  const ordered = records.columns.map((name) => ({ name, column: known[name] }));
  let count = 0;
  async function* staged() {
    for await (const batch of records.batches) {
      count += batch.length;
      const rows: Field[][] = [];
      for (const row of batch) {
        const fields = readRow(row, ordered, (problem) => problems.push({ file: file.name, row: row.row, ...problem }));
        if (!fields) continue;
        for (const [column, field] of unset) fields.set(column, field);
        for (const { field, code } of completeRow(file.part, fields, seal)) {
          problems.push({ file: file.name, row: row.row, field, code, value: null });
        }
        rows.push([row.row, ...order.map((column) => fields.get(column) ?? null)]);
      }
      await save(problems.splice(0));
      yield rows;
    }
  }
  await copy(`copy ${staging[file.part]} (row, ${order.join(', ')}) from stdin`, staged());
  return count;
}

function headerProblems({ part, name: file }: ImportFile, names: readonly string[]): Problem[] {
  const known = columns[part];
  const problem = (field: string, code: ProblemCode) => ({ file, row: 1, field, code, value: null });
  const missing = Object.entries(known).filter(([name, { isNeeded }]) => isNeeded && !names.includes(name));
  return [
    ...missing.map(([name]) => problem(name, 'ColumnMissing')),
    ...names.filter((name) => !Object.hasOwn(known, name)).map((name) => problem(name, 'ColumnUnknown')),
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => problem(name, 'ColumnTwice')),
  ];
}

type Ordered = { name: string; column: Column | undefined }[];
type Report = (problem: Omit<Problem, 'file' | 'row'>) => unknown;

/** Reads the values of a row. Returns undefined if the row itself cannot be read. */
function readRow({ values }: Row, ordered: Ordered, report: Report): Fields | undefined {
  if (values?.length !== ordered.length) {
    report({ field: 'row', code: 'RowMalformed', value: null });
    return undefined;
  }
  const fields: Fields = new Map();
  for (const [at, { name, column }] of ordered.entries()) {
    if (column) readValue({ name, column, given: values[at], fields }, report);
  }
  return fields;
}

type Cell = { name: string; column: Column; given: unknown; fields: Fields };

function readValue({ name, column, given, fields }: Cell, report: Report) {
  const { into, read, isNeeded, ifEmpty } = column;
  if (given === undefined || given === null || given === '') {
    if (isNeeded) report({ field: name, code: 'ValueMissing', value: null });
    else fields.set(into, ifEmpty);
    return;
  }
  const written = typeof given === 'number' && Number.isSafeInteger(given) ? String(given) : given;
  const value = typeof written === 'string' ? read(written) : ({ code: 'NotText' } as const);
  if ('field' in value) fields.set(into, value.field);
  else report({ field: name, code: value.code, value: valueShown(name, given) });
}

const longestShown = 80;

/** A private key is shown to nobody. */
function valueShown(name: string, given: unknown) {
  return name === 'solPrivateKey'
    ? null
    : (JSON.stringify(given) ?? '').replaceAll(/^"|"$/g, '').slice(0, longestShown);
}
