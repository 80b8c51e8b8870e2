import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** Downloaded when this bench runs, because nothing else needs it. */
const lighthouse = 'lighthouse@13.5.0';

type Metric = { numericValue: number };
type Report = {
  audits: Record<'first-contentful-paint' | 'largest-contentful-paint' | 'total-blocking-time', Metric>;
  categories: { performance: { score: number } };
};

export type Painted = { score: number; firstPaintMs: number; largestPaintMs: number; blockingMs: number };

/** Loads a page once with an empty cache in a running browser, on the slow phone that Lighthouse simulates. */
export async function visit(url: string, port: number): Promise<Painted> {
  const file = path.join(tmpdir(), `paint-${port}.json`);
  const options = ['--only-categories=performance', '--output=json', '--quiet'];
  await promisify(execFile)('npx', ['--yes', lighthouse, url, `--port=${port}`, `--output-path=${file}`, ...options]);
  const { audits, categories } = JSON.parse(await readFile(file, 'utf8')) as Report;
  await rm(file);
  return {
    score: Math.round(categories.performance.score * 100),
    firstPaintMs: Math.round(audits['first-contentful-paint'].numericValue),
    largestPaintMs: Math.round(audits['largest-contentful-paint'].numericValue),
    blockingMs: Math.round(audits['total-blocking-time'].numericValue),
  };
}
