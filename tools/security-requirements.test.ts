import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from './sources.ts';

const text = readFileSync(path.join(root, 'docs/security-requirements.md'), 'utf8');
const rows = text
  .split('\n')
  .filter((line) => /^\| [A-Z]\d /.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** Whether a path, relative to the server or to the repository, leads to a file. */
const exists = (file: string) => [root, `${root}/server/src`].some((folder) => existsSync(path.join(folder, file)));

test('every file and proof that the security requirements name exists', () => {
  expect(rows.length).toBeGreaterThan(30);
  const files = [...text.matchAll(/`([\w./-]+\.(?:tsx?|sql|md|json))`/g)].map(([, file]) => file ?? '');
  const proofs = [...text.matchAll(/\bT\d+\b/g)].map(([name]) => `proof/${name}.ts`);
  expect(files.length).toBeGreaterThan(0);
  const named = new Set([...files, ...proofs]);
  expect([...named].filter((file) => !exists(file))).toEqual([]);
});

test('every security requirement that is met names a test or a proof', () => {
  const unproven = rows.filter(([, , , requirement, where, shownBy]) => {
    const isMet = where !== 'not there yet';
    return requirement === '' || (isMet && !/\.test\.ts|\.e2e\.ts|proof\/|\bT\d/.test(shownBy ?? ''));
  });
  expect(unproven.map(([, id]) => id)).toEqual([]);
});
