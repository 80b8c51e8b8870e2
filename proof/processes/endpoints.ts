import { globSync } from 'node:fs';
import type { Endpoint } from '../../contract/src/core/endpoint.ts';

const folder = new URL('../../contract/src/', import.meta.url);
const files = globSync('*.ts', { cwd: folder }).filter((file) => !file.endsWith('.test.ts'));
const modules = await Promise.all(
  files.map(async (file) => (await import(new URL(file, folder).href)) as Record<string, unknown>),
);

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'url' in value && 'access' in value;

export type NamedEndpoint = Endpoint & { name: string };

/** All endpoints of the contract, so that a proof covers a new one by itself. */
export const endpoints: readonly NamedEndpoint[] = modules.flatMap((exported) =>
  Object.entries(exported).flatMap(([name, value]) => (isEndpoint(value) ? [{ ...value, name }] : [])),
);
