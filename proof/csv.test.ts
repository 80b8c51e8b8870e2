import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import Papa from 'papaparse';
import { afterAll, expect, test } from 'vitest';
import { type Cells, cellsOf, type ReportRow } from '../panel/src/features/reports/cells.ts';
import { csvHead, csvLines } from '../panel/src/features/reports/csv.ts';
import { buildExport } from '../server/src/features/reports/build.ts';
import { finishedFile } from '../server/src/features/reports/folder.ts';
import { listReport } from '../server/src/features/reports/service.ts';
import { testDatabase } from '../server/src/core/testing/database.ts';
import { addAdmin } from '../server/src/core/testing/server.ts';
import { payloads } from './csv/payloads.ts';

/*
 * Exports contain names and titles that users chose. Files from the browser and from the server, on real PostgreSQL,
 * are parsed again: every cell must be the original text with at most an apostrophe in front.
 */
const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());
const admin = await addAdmin(db.database, { username: 'ann' });
const { folder } = db.config.exports;

await db.pool.query(
  `insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code)
   select 'U' || place, name, 'w', 's', 'R' || place from unnest($1::text[]) with ordinality as given (name, place)`,
  [payloads],
);
await db.pool.query(
  `insert into task (user_id, post_url, title, description, reward_usd, deadline)
   select id, 'https://example.com', username, '', 1, '2026-01-01' from platform_user`,
);
await db.pool.query(
  `insert into withdrawal (user_id, amount_usd, wallet, balance_usd, gmp_shares, prev_slx, slx_points)
   select id, (1 + row_number() over ()) * 1234567, 'w', 0, 0, 0, 0 from platform_user`,
);

async function serverFile(tab: 'task' | 'withdrawal') {
  const { rows } = await db.pool.query<{ id: string }>(
    `insert into report_export (tab, filter, requested_by) values ($1, '{}', $2) returning id`,
    [tab, admin.id],
  );
  const [{ id } = { id: '' }] = rows;
  await buildExport({ database: db.worker, pool: db.pool, folder }, id, new AbortController().signal);
  return readFile(finishedFile(folder, id), 'utf8');
}

async function browserFile(tab: 'task' | 'withdrawal') {
  const { rows } = await listReport<ReportRow>(db.database, tab, { limit: 100 });
  return csvHead(tab) + csvLines(tab, rows.map(cellsOf));
}

function readBack(text: string) {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: ',', newline: '\r\n' });
  expect(errors).toEqual([]);
  const [head, ...lines] = data;
  expect(lines.pop()).toEqual(['']);
  return { head, lines };
}

/** Written independently of the code under test. */
const looksLikeFormula = (cell: string) => {
  const [first = ''] = cell;
  if ('\t\r\n'.includes(first)) return true;
  const seen = Array.from(cell)
    .filter((letter) => !/[\p{White_Space}\p{Cf}]/u.test(letter))
    .join('');
  return /^[=+\-@＝＋－＠]/u.test(seen);
};

test('there are 100 distinct payloads', () => {
  expect(new Set(payloads.map((payload) => payload.toLowerCase())).size).toBe(100);
  expect(payloads.every(({ length }) => length >= 1 && length <= 64)).toBe(true);
  expect(payloads.filter(looksLikeFormula).length).toBeGreaterThan(88);
});

test.each([
  ['the server', serverFile],
  ['the browser', browserFile],
])('100 formula payloads harmless in the file that %s builds', async (_who, build) => {
  const { head, lines } = readBack(await build('task'));
  expect(head).toEqual(['User', 'Task', 'Date', 'Status']);
  expect(lines).toHaveLength(100);
  for (const payload of payloads) {
    const cell = looksLikeFormula(payload) ? `'${payload}` : payload;
    const line = lines.find(([user]) => user === cell);
    expect(line, JSON.stringify(payload)).toEqual([cell, cell, expect.stringMatching(/^\d{4}-\d\d-\d\d$/), 'Pending']);
  }
  expect(lines.flat().filter(looksLikeFormula)).toEqual([]);
});

test.each(['task', 'withdrawal'] as const)(
  'the %s file from the server and from the browser is the same, byte for byte',
  async (tab) => {
    const server = await serverFile(tab);
    expect(server).toBe(await browserFile(tab));
    expect(server.startsWith(`\uFEFFUser,${tab === 'task' ? 'Task' : 'Amount'},Date,Status\r\n`)).toBe(true);
  },
);

test('numbers are unquoted and unchanged, even one that starts like a formula', async () => {
  const { lines } = readBack(await serverFile('withdrawal'));
  for (const [, amount] of lines) expect(amount).toMatch(/^\d+\.\d{2,6}$/);
  expect(csvLines('withdrawal', [['ann', '-5.00', '2026-01-01', 'Pending']])).toBe(
    '"ann",-5.00,2026-01-01,"Pending"\r\n',
  );
});

const nasty = fc.string({
  unit: fc.constantFrom(
    ...Array.from(
      '=+-@\t\r\n \'",;|\\aA1\u00a0\u00ad\u1680\u180e\u2000\u200b\u200f\u2010\u2028\u202e\u202f\u205f\u2060\u2064\u2065\u3000\ufeff\u000b\f\u0085＝＋－＠',
    ),
  ),
  maxLength: 6,
});

test('the browser and the database treat the same cells as formulas', async () => {
  const cells = fc.sample(nasty, 20_000);
  const { rows } = await db.pool.query<{ cell: string }>({
    text: 'select csv_text(cell) as cell from unnest($1::text[]) with ordinality as given (cell, place) order by place',
    values: [cells],
  });
  const written = cells.map((cell) => readBack(csvLines('task', [['ann', cell, '', '']])).head?.[1]);
  expect(rows.map(({ cell }) => cell)).toEqual(written);
  expect(rows.filter(({ cell }, at) => cell !== cells[at]).length).toBeGreaterThan(2_000);
});

test('a file with any cell contents parses back to what was written', () => {
  const cell = fc.oneof(nasty, fc.string({ unit: 'binary' }));
  const row = fc.tuple(cell, cell, fc.constant('2026-01-01'), fc.constant('Pending'));
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows: Cells[]) => {
      const { lines } = readBack(csvHead('task') + csvLines('task', rows));
      const bare = lines.map((line) => line.map((text, at) => (at < 2 ? text.replace(/^'/, '') : text)));
      expect(bare).toEqual(rows.map((cells) => cells.map((text, at) => (at < 2 ? text.replace(/^'/, '') : text))));
    }),
  );
});
