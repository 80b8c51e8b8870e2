import path from 'node:path';
import { expect, test } from 'vitest';
import { type Endpoint, Room } from '../contract/src/endpoint.ts';
import { files, folders, root } from './sources.ts';

/** Parts of the server that serve no calls of their own. */
const callless = ['db', 'http', 'queue', 'ledger', 'testing', 'seed', 'setup'];
/**
 * Rooms whose calls the shell makes itself, or the screens of others: a user's profile shows its audit rows, and the
 * screen of the referral check the reports on the tree.
 */
const screenless: readonly Room[] = ['auth', 'events', 'health', 'audit', 'referrals'];
/** What browsers write, in fields that each of them chooses. */
const writtenByBrowsers = ['reportPolicyViolation.body.csp-report'];

const modules = await Promise.all(
  files('contract/src/*.ts')
    .filter((file) => !file.endsWith('.test.ts'))
    .map(async (file) => ({ file, exported: (await import(path.join(root, file))) as Record<string, unknown> })),
);
const endpoints = modules.flatMap(({ file, exported }) =>
  Object.entries(exported).flatMap(([name, value]) => (isEndpoint(value) ? [{ file, name, endpoint: value }] : [])),
);

test('every room stands on every floor', () => {
  const server = folders('server/src');
  const panel = folders('panel/src');
  expect(Room.options.filter((room) => !files('contract/src/*.ts').includes(`contract/src/${room}.ts`))).toEqual([]);
  expect(Room.options.filter((room) => !server.includes(room))).toEqual([]);
  expect(Room.options.filter((room) => !panel.includes(room) && !screenless.includes(room))).toEqual([]);
});

test('every folder is a room of the contract or part of the foundation', () => {
  const rooms: readonly string[] = Room.options;
  expect(folders('server/src').filter((folder) => !rooms.includes(folder) && !callless.includes(folder))).toEqual([]);
  const ofPanel = [...rooms, 'shell', 'ui', 'testing'];
  expect(folders('panel/src').filter((folder) => !ofPanel.includes(folder))).toEqual([]);
});

/** What every page loads of a large room has a file of its own, beside that of the room and named after it. */
const isOf = (room: string, file: string) =>
  file === `contract/src/${room}.ts` || file.startsWith(`contract/src/${room}-`);

test('an endpoint is described in a file of its room', () => {
  expect(endpoints.length).toBeGreaterThan(0);
  expect(endpoints.filter(({ file, endpoint }) => !isOf(endpoint.room, file)).map(({ name }) => name)).toEqual([]);
});

test('no two endpoints share an address', () => {
  const addresses = endpoints.map(({ endpoint }) => `${endpoint.method} ${endpoint.url}`);
  expect(addresses.filter((address, index) => addresses.indexOf(address) !== index)).toEqual([]);
});

test('every request refuses fields that it does not know', () => {
  const loose = endpoints.flatMap(({ name, endpoint }) =>
    (['params', 'querystring', 'body'] as const).flatMap((part) => looseObjects(endpoint[part], `${name}.${part}`)),
  );
  expect(loose.filter((where) => !writtenByBrowsers.includes(where))).toEqual([]);
});

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'method' in value && 'url' in value && 'answer' in value;
}

type Definition = { type?: string; shape?: Record<string, unknown>; catchall?: unknown } & Record<string, unknown>;

const definitionOf = (schema: unknown) => (schema as { _zod?: { def: Definition } } | undefined)?._zod?.def;

/** Walks into whatever a schema is made of; `out` is what we read in memory, which nobody sends. */
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
