import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { openApp } from './app.ts';
import { openLog } from '#server/core/log.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'bursar-reference-'));
// The build copies these files as they are.
await cp(new URL('../../../../panel/public/', import.meta.url), folder, { recursive: true });
await writeFile(path.join(folder, 'index.html'), '<head></head>');
const { config, database, pool, ...db } = await testDatabase();
const http = { ...config.http, apiOrigin: 'https://api.example' };
const panelFolder = pathToFileURL(`${folder}/`);
const app = await openApp(
  { config: { ...config, http }, database, pool, log: openLog('silent'), panelFolder },
  () => undefined,
);

afterAll(async () => {
  await app.close();
  await db[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const visit = async () => {
  const { statusCode, headers, body } = await app.inject({ url: '/reference', headers: { accept: 'text/html' } });
  const policy = String(headers['content-security-policy']);
  const nonce = /'nonce-(?<nonce>[^']+)'/.exec(policy)?.groups?.['nonce'] ?? '';
  return { statusCode, headers, body, policy, nonce };
};

test('the policy of the reference allows files of its own, and no other host but the API', async () => {
  const { statusCode, headers, policy, nonce } = await visit();
  expect(statusCode).toBe(200);
  expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  expect(policy.split('; ').toSorted()).toEqual([
    "base-uri 'none'",
    "connect-src 'self' https://api.example",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src 'self' data:",
    "object-src 'none'",
    'report-uri /api/policy-reports',
    "require-trusted-types-for 'script'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    'trusted-types vue',
  ]);
});

test('each visit has a new nonce for the styles of the viewer', async () => {
  const [first, second] = await Promise.all([visit(), visit()]);
  expect(first.nonce).toMatch(/^[\w+/]{22}==$/);
  expect(first.nonce).not.toBe(second.nonce);
  expect(first.body).toContain(`property="csp-nonce" content="${first.nonce}"`);
  expect(first.body).toContain('name="api-origin" content="https://api.example"');
});

test('the page names no other host, and has no inline script, style or handler', async () => {
  const { body } = await visit();
  expect([...body.matchAll(/(?:href|src)="(?<address>[^"]+)"/g)].map(([, address]) => address)).toEqual([
    '/favicon.svg',
    '/reference.css',
    '/reference.js',
    '/scalar.js',
  ]);
  expect(body).not.toMatch(/<style|style=|\son\w+=|<script[^>]*>[^<]/);
});
