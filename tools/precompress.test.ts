import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { precompress } from '../panel/precompress.ts';

const text = 'export const amount = 1_000_000n;\n'.repeat(100);
const files = ['index.html', 'theme.js', 'assets/front.js', 'assets/front.css', 'assets/inter.woff2', 'assets/tiny.js'];
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'bursar-precompress-'));
  await mkdir(path.join(folder, 'assets'));
  for (const file of files) {
    await writeFile(path.join(folder, file), file === 'assets/tiny.js' ? 'export {};' : text);
  }
  await precompress(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('text files get a brotli and a gzip file beside them; fonts, tiny files and the page do not', async () => {
  const written = (await readdir(folder, { recursive: true })).filter((file) => /\.(br|gz)$/.test(file));
  const expected = ['theme.js', 'assets/front.js', 'assets/front.css'].flatMap((file) => [`${file}.br`, `${file}.gz`]);
  expect(written.toSorted()).toEqual(expected.toSorted());
});

test('both compressed files decompress to the original', async () => {
  const read = (extension: string) => readFile(path.join(folder, `assets/front.js${extension}`));
  expect(brotliDecompressSync(await read('.br')).toString()).toBe(text);
  expect(gunzipSync(await read('.gz')).toString()).toBe(text);
});
