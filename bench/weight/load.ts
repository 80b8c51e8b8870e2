import { setTimeout as wait } from 'node:timers/promises';
import type { BrowserContext, Request } from '@playwright/test';

export type Loaded = { js: number; all: number; fonts: number; kinds: Record<string, number>; uncompressed: string[] };

/** A load ends after this time without a response, because requests made when idle are part of the first load. */
const quietFor = 1_500;
/** Compression gains nothing below this size. */
const worthCompressing = 1_024;

/** Opens the address with an empty cache and returns the kB transferred, without headers. */
export async function loadCold(context: BrowserContext, address: string, heading: string): Promise<Loaded> {
  const page = await context.newPage();
  const arrived: Request[] = [];
  let lastAt = performance.now();
  page.on('requestfinished', (request) => {
    arrived.push(request);
    lastAt = performance.now();
  });
  await page.goto(address);
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  while (performance.now() - lastAt < quietFor) await wait(100);
  const loaded = await weigh(arrived);
  await page.close();
  return loaded;
}

async function weigh(requests: Request[]): Promise<Loaded> {
  const bytesOf: Record<string, number> = {};
  const uncompressed: string[] = [];
  for (const request of requests) {
    const { responseBodySize: bytes } = await request.sizes();
    const kind = request.resourceType();
    bytesOf[kind] = (bytesOf[kind] ?? 0) + bytes;
    const isText = ['document', 'script', 'stylesheet'].includes(kind);
    if (isText && bytes > worthCompressing && !(await isCompressed(request))) uncompressed.push(request.url());
  }
  const kinds = Object.fromEntries(Object.entries(bytesOf).map(([kind, bytes]) => [kind, kilobytes(bytes)]));
  const all = Object.values(bytesOf).reduce((sum, bytes) => sum + bytes, 0);
  const { script = 0, font = 0 } = bytesOf;
  return { js: kilobytes(script), all: kilobytes(all - font), fonts: kilobytes(font), kinds, uncompressed };
}

async function isCompressed(request: Request) {
  const response = await request.response();
  return response?.headers()['content-encoding'] === 'gzip';
}

const kilobytes = (bytes: number) => Math.round(bytes / 10) / 100;
