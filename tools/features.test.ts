import path from 'node:path';
import { expect, test } from 'vitest';
import { type Endpoint, Feature } from '../contract/src/core/endpoint.ts';
import { files, folders, root } from './sources.ts';

/** Parts of the core that have no endpoints of their own. */
const withoutEndpoints = ['db', 'http', 'inbound', 'outbox', 'queue', 'testing'];
/**
 * Features without a screen of their own. The shell makes the calls of the first three; the screen of the referral check
 * shows the reports on the tree, and imports are a command.
 */
const withoutScreen: readonly Feature[] = ['auth', 'events', 'health', 'referrals', 'imports'];
/** Requests that browsers compose, with fields that each browser chooses. */
const writtenByBrowsers = ['reportPolicyViolation.body.csp-report'];

const modules = await Promise.all(
  files('contract/src/**/*.ts')
    .filter((file) => !file.endsWith('.test.ts'))
    .map(async (file) => ({ file, exported: (await import(path.join(root, file))) as Record<string, unknown> })),
);
const endpoints = modules.flatMap(({ file, exported }) =>
  Object.entries(exported).flatMap(([name, value]) => (isEndpoint(value) ? [{ file, name, endpoint: value }] : [])),
);

const core = folders('server/src/core');
const serverFeatures = folders('server/src/features');
const panelFeatures = folders('panel/src/features');
const contractFiles = files('contract/src/*.ts');

test('every feature of the contract is in every package', () => {
  expect(Feature.options.filter((feature) => !contractFiles.some((file) => isOf(feature, file)))).toEqual([]);
  const onServer = [...core, ...serverFeatures];
  expect(Feature.options.filter((feature) => !onServer.includes(feature))).toEqual([]);
  const missing = Feature.options.filter((feature) => !panelFeatures.includes(feature));
  expect(missing.filter((feature) => !withoutScreen.includes(feature))).toEqual([]);
});

test('every folder is a feature of the contract, or a known part of the core', () => {
  const features: readonly string[] = Feature.options;
  expect([...serverFeatures, ...panelFeatures].filter((folder) => !features.includes(folder))).toEqual([]);
  expect(core.filter((folder) => !features.includes(folder) && !withoutEndpoints.includes(folder))).toEqual([]);
  expect(folders('server/src').toSorted()).toEqual(['core', 'features', 'seed', 'setup']);
  expect(folders('panel/src').toSorted()).toEqual(['domain', 'features', 'shell', 'testing', 'ui']);
});

test('every exemption is needed', () => {
  expect(withoutScreen.filter((feature) => panelFeatures.includes(feature))).toEqual([]);
  const served = new Set<string>(endpoints.map(({ endpoint }) => endpoint.feature));
  expect(withoutEndpoints.filter((part) => !core.includes(part) || served.has(part))).toEqual([]);
  const loose = new Set(endpoints.flatMap(looseParts));
  expect(writtenByBrowsers.filter((where) => !loose.has(where))).toEqual([]);
});

/** A large feature has further files named after it, so that a page need not load all of it. */
const isOf = (feature: string, file: string) =>
  file === `contract/src/${feature}.ts` || file.startsWith(`contract/src/${feature}-`);

test('an endpoint is described in a file of its feature', () => {
  expect(endpoints.length).toBeGreaterThan(0);
  expect(endpoints.filter(({ file, endpoint }) => !isOf(endpoint.feature, file)).map(({ name }) => name)).toEqual([]);
});

test('no two endpoints share an address', () => {
  const addresses = endpoints.map(({ endpoint }) => `${endpoint.method} ${endpoint.url}`);
  expect(addresses.filter((address, index) => addresses.indexOf(address) !== index)).toEqual([]);
});

test('every request refuses unknown fields', () => {
  expect(endpoints.flatMap(looseParts).filter((where) => !writtenByBrowsers.includes(where))).toEqual([]);
});

function looseParts({ name, endpoint }: (typeof endpoints)[number]) {
  return (['params', 'querystring', 'body'] as const).flatMap((part) =>
    looseObjects(endpoint[part], `${name}.${part}`),
  );
}

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'method' in value && 'url' in value && 'answer' in value;
}

type Definition = { type?: string; shape?: Record<string, unknown>; catchall?: unknown } & Record<string, unknown>;

const definitionOf = (schema: unknown) => (schema as { _zod?: { def: Definition } } | undefined)?._zod?.def;

/** Finds loose objects in a schema, recursively. `out` is skipped, because no client sends parsed values. */
function looseObjects(schema: unknown, where: string): string[] {
  const definition = definitionOf(schema);
  if (!definition) return [];
  const { type, shape, catchall } = definition;
  const own = type === 'object' && definitionOf(catchall)?.type !== 'never' ? [where] : [];
  const fields = Object.entries(shape ?? {}).flatMap(([name, field]) => looseObjects(field, `${where}.${name}`));
  const made = ['innerType', 'element', 'in', 'left', 'right', 'valueType', 'options', 'items'].flatMap((part) =>
    [definition[part]].flat().flatMap((inner) => looseObjects(inner, where)),
  );
  return [...own, ...fields, ...made];
}
