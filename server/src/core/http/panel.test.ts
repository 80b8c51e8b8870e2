import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { openApp } from './app.ts';
import { sessionCookie } from '#server/core/auth/cookies.ts';
import { openLog } from '#server/core/log.ts';

/** Each compressed file contains its encoding, so that the tests notice a response that was compressed again. */
const script = (kind: string) => `/* ${kind} */\n${'export const amount = 1_000_000n;\n'.repeat(200)}`;
const files: Record<string, string | Buffer> = {
  'index.html': '<head><meta name="style-nonce" content=""><meta name="api-origin" content=""></head>',
  '.vite/preloads.json': JSON.stringify([
    { address: '/dashboard', scripts: ['/assets/home-x4.js'], styles: ['/assets/home-x4.css'] },
    { address: '/dashboard/user-profile/$id', scripts: ['/assets/profile-x5.js'], styles: [] },
  ]),
  'theme.js': script('plain'),
  'theme.js.br': brotliCompressSync(script('brotli')),
  'theme.js.gz': gzipSync(script('gzip')),
  'assets/front-x1.js': script('plain'),
  'assets/front-x1.js.br': brotliCompressSync(script('brotli')),
  'assets/front-x1.js.gz': gzipSync(script('gzip')),
  'assets/inter-x2.woff2': Buffer.alloc(4_096, 'font'),
  'assets/late-x3.js': script('never compressed by the build'),
};

const folder = await mkdtemp(path.join(tmpdir(), 'bursar-panel-'));
await mkdir(path.join(folder, 'assets'));
await mkdir(path.join(folder, '.vite'));
for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
const { config, database, pool, ...db } = await testDatabase();
const panelFolder = pathToFileURL(`${folder}/`);
const app = await openApp({ config, database, pool, log: openLog('silent'), panelFolder }, () => undefined);

afterAll(async () => {
  await app.close();
  await db[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const get = (url: string, encodings?: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { ...headers, ...(encodings !== undefined && { 'accept-encoding': encodings }) } });

const decoders = { br: brotliDecompressSync, gzip: gunzipSync, none: (bytes: Buffer) => bytes };

test.each([
  ['gzip, deflate, br, zstd', 'br', 'brotli'],
  ['br;q=1.0, gzip;q=0.8', 'br', 'brotli'],
  ['gzip', 'gzip', 'gzip'],
  ['gzip;q=1.0, br;q=0', 'gzip', 'gzip'],
  ['identity', 'none', 'plain'],
  ['deflate', 'none', 'plain'],
  [undefined, 'none', 'plain'],
] as const)(
  'a client that accepts %s gets the encoding %s, as the build wrote it',
  async (accepted, encoding, kind) => {
    for (const url of ['/assets/front-x1.js', '/theme.js']) {
      const { statusCode, headers, rawPayload } = await get(url, accepted);
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'application/javascript; charset=utf-8',
        'content-length': String(rawPayload.length),
        vary: expect.stringMatching(/accept-encoding/i),
      });
      expect(headers['content-encoding'] ?? 'none').toBe(encoding);
      expect(decoders[encoding](rawPayload).toString()).toBe(script(kind));
    }
  },
);

test('every encoding of a hashed file is cached as immutable and has its own ETag', async () => {
  const answers = await Promise.all(['br', 'gzip', 'identity'].map((encoding) => get('/assets/front-x1.js', encoding)));
  for (const { headers } of answers) expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const tags = answers.map(({ headers }) => String(headers.etag));
  expect(new Set(tags).size).toBe(3);
  const revalidated = await get('/assets/front-x1.js', 'br', { 'if-none-match': tags[0] ?? '' });
  expect(revalidated.statusCode).toBe(304);
  expect((await get('/theme.js', 'br')).headers['cache-control']).toBe('public, max-age=0');
});

test('a font, whose format is already compressed, is sent unchanged', async () => {
  const { headers, rawPayload } = await get('/assets/inter-x2.woff2', 'gzip, br');
  expect(headers).toMatchObject({ 'content-type': 'font/woff2' });
  expect(headers['content-encoding']).toBeUndefined();
  expect(rawPayload).toEqual(files['assets/inter-x2.woff2']);
});

test('a file that the build did not compress is compressed when it is sent', async () => {
  const { headers, rawPayload } = await get('/assets/late-x3.js', 'gzip, br');
  expect(headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(rawPayload).toString()).toBe(files['assets/late-x3.js']);
});

test('compressed files have no URL of their own', async () => {
  for (const url of ['/assets/front-x1.js.br', '/assets/front-x1.js.gz', '/theme.js.br']) {
    expect((await get(url, 'br')).statusCode).toBe(404);
  }
});

test('each visit gets a page with a new nonce', async () => {
  const nonceOf = (page: string) => /style-nonce" content="(?<nonce>[^"]+)"/.exec(page)?.groups?.['nonce'];
  const [first, second] = await Promise.all([get('/login', 'br'), get('/login', 'br')]);
  expect(first.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' });
  expect(first.headers['content-security-policy']).toContain(`'nonce-${nonceOf(first.body)}'`);
  expect(nonceOf(first.body)).not.toBe(nonceOf(second.body));
});

const preloads = (body: string) =>
  [...body.matchAll(/rel="(?:module)?preload"[^>]* href="([^"]+)"/g)].map(([, href]) => href);
const withSession = { cookie: `${sessionCookie}=anything` };

test.each([
  ['/dashboard', ['/assets/home-x4.js', '/assets/home-x4.css']],
  ['/dashboard/', ['/assets/home-x4.js', '/assets/home-x4.css']],
  ['/dashboard/user-profile/0198?tab=stakes', ['/assets/profile-x5.js']],
  ['/dashboard/user-profile', []],
  ['/dashboard/elsewhere', []],
  ['/login', []],
])('a visitor with a session cookie gets the preloads of %s', async (url, hrefs) => {
  expect(preloads((await get(url, 'br', withSession)).body)).toEqual(hrefs);
});

test('a visitor without a session cookie gets no preloads, because they will see Login', async () => {
  expect(preloads((await get('/dashboard', 'br')).body)).toEqual([]);
});

test('the preload list that the build writes for the server is not served', async () => {
  expect((await get('/.vite/preloads.json')).statusCode).toBe(404);
});
