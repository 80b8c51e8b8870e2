import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openRecords, type Row } from './records.ts';

async function read(text: string, format: 'csv' | 'ndjson' = 'csv', known: string[] = []) {
  const folder = await mkdtemp(path.join(tmpdir(), 'bursar-records-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const place = path.join(folder, 'file');
  await writeFile(place, text);
  const { columns, batches } = await openRecords(
    { part: 'users', name: 'file', path: place, format, sha256: '' },
    known,
  );
  const rows: Row[] = [];
  for await (const batch of batches) rows.push(...batch);
  return { columns, rows };
}

test('CSV has quoted commas, quotes and line breaks, Windows line ends and a byte order mark', async () => {
  expect(await read('\uFEFFname,text\r\nmira,"a, ""b""\r\nand c"\r\n\r\njonas,\r\nlena,"last"')).toEqual({
    columns: ['name', 'text'],
    rows: [
      { row: 2, values: ['mira', 'a, "b"\r\nand c'] },
      { row: 4, values: ['jonas', ''] },
      { row: 5, values: ['lena', 'last'] },
    ],
  });
});

test('a row whose quotes are wrong is named, and the rows after it are read', async () => {
  const { rows } = await read('a,b\n1,"x"y\n2,z\n3,"open\n4,end\n');
  expect(rows).toEqual([
    { row: 2, values: undefined },
    { row: 3, values: ['2', 'z'] },
    { row: 4, values: undefined },
    { row: 5, values: ['4', 'end'] },
  ]);
});

test('rows that are longer than what is read at once are whole', async () => {
  const long = 'line with "quotes", commas\n'.repeat(4_000);
  const quoted = `"${long.replaceAll('"', '""')}"`;
  const numbers = Array.from({ length: 9 }, (_, number) => String(number));
  const { rows } = await read(`no,text\n${numbers.map((number) => `${number},${quoted}`).join('\n')}`);
  expect(rows).toEqual(numbers.map((number, at) => ({ row: at + 2, values: [number, long] })));
});

test('NDJSON names a line that is no object, or has an unknown key', async () => {
  const { rows } = await read('{"a":"1","b":2}\n[]\n{"c":1}\n{"a":\n\n{"b":null}\n', 'ndjson', ['a', 'b']);
  expect(rows).toEqual([
    { row: 1, values: ['1', 2] },
    { row: 2, values: undefined },
    { row: 3, values: undefined },
    { row: 4, values: undefined },
    { row: 6, values: [undefined, null] },
  ]);
});

test('a file without rows has no columns', async () => {
  expect(await read('')).toEqual({ columns: [], rows: [] });
});
