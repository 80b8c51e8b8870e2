import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { importInto, query } from '#server/core/testing/imports.ts';
import { runCommand } from '#server/core/testing/process.ts';
import { columns } from '#server/features/imports/columns.ts';

const guide = await readFile(new URL('../../../docs/import.md', import.meta.url), 'utf8');

/** The code blocks of the guide: files with their place, commands and their output. */
const blocks = [...guide.matchAll(/^```(?<kind>\w+)(?: (?<place>\S+))?\n(?<text>[\s\S]*?)^```$/gm)].map(
  ({ groups }) => ({
    kind: groups?.['kind'],
    place: groups?.['place'],
    text: groups?.['text'] ?? '',
  }),
);
const files = blocks.flatMap(({ place, text }) => (place === undefined ? [] : [{ place, text }]));
const commands = blocks.flatMap(({ kind, text }) =>
  kind === 'sh'
    ? text
        .trim()
        .split('\n')
        .map((line) => line.replace('npx bursar ', '').split(' '))
    : [],
);

async function writeFiles() {
  const folder = await mkdtemp(path.join(tmpdir(), 'bursar-guide-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const { place, text } of files) {
    await mkdir(path.join(folder, path.dirname(place)), { recursive: true });
    await writeFile(path.join(folder, place), text);
  }
  return folder;
}

test('the commands of the guide import its files, and print the problems that it lists', async () => {
  await using db = await testDatabase();
  const cwd = await writeFiles();
  expect(files.map(({ place }) => place.split('/')[1]?.split('.')[0])).toEqual([...Object.keys(columns), 'users']);
  const done: { command: string; code: number | null; stdout: string }[] = [];
  for (const args of commands) {
    const { code, stdout } = await runCommand(db.url, args, { cwd });
    done.push({ command: args.join(' '), code, stdout });
  }
  expect(done.map(({ command, code }) => ({ command, code }))).toEqual([
    { command: 'import --dry-run platform', code: 0 },
    { command: 'import platform', code: 0 },
    { command: 'ledger verify --full', code: 0 },
    { command: 'import --dry-run wrong', code: 1 },
  ]);
  const figures = await query(
    db,
    `select username, available_usd::float8 / 1e6 as available, staked_usd::float8 / 1e6 as staked,
       withdrawing_usd::float8 / 1e6 as held, withdrawn_usd::float8 / 1e6 as withdrawn,
       deposit_usd::float8 / 1e6 as deposited, gmp_shares::int as shares
     from platform_user join user_total on user_total.user_id = id order by 1`,
  );
  expect(figures).toEqual([
    { username: 'jonas', available: 80, staked: 0, held: 0, withdrawn: 30, deposited: 110, shares: 40 },
    { username: 'lena', available: 0, staked: 0, held: 0, withdrawn: 0, deposited: 0, shares: 0 },
    { username: 'mira', available: 100.5, staked: 1000, held: 200, withdrawn: 0, deposited: 1300.5, shares: 250 },
  ]);
});

test('the output in the guide is what a check of its wrong file prints in an empty database', async () => {
  await using db = await testDatabase();
  const { lines } = await importInto(db, path.join(await writeFiles(), 'wrong'), { dryRun: true });
  expect(`${lines.join('\n')}\n`).toBe(blocks.find(({ kind }) => kind === 'text')?.text);
});

test('the guide describes every column of every file, and says which are needed', () => {
  for (const [part, known] of Object.entries(columns)) {
    const section = guide.split(`\n### ${part}\n`)[1]?.split('\n#')[0] ?? '';
    const described = [...section.matchAll(/^\| `(?<name>\w+)` \| [^|]+ \| (?<ifEmpty>[^|]+) \|/gm)].map(
      ({ groups }) => ({
        name: groups?.['name'],
        isNeeded: groups?.['ifEmpty'] === 'needed',
      }),
    );
    expect(described, part).toEqual(Object.entries(known).map(([name, { isNeeded }]) => ({ name, isNeeded })));
  }
});
