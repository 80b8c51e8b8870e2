import { expect, test } from 'vitest';
import { folders, lineOf, type Source, sources } from './sources.ts';

const migrations = sources('server/migrations/*.sql').map(({ text }) => text.replaceAll(/--.*$/gm, ''));
const owners = new Set([...folders('server/src/core'), ...folders('server/src/features')]);

const named = (pattern: RegExp) =>
  migrations.flatMap((text) => [...text.matchAll(pattern)].map(({ groups }) => groups ?? {}));

const created = named(
  /create\s+(unlogged\s+)?table\s+(if\s+not\s+exists\s+)?"?(?<table>\w+)"?(\s+partition\s+of\s+"?(?<whole>\w+)"?)?/gi,
);
const dropped = new Set(named(/drop\s+table\s+(if\s+exists\s+)?"?(?<table>\w+)"?/gi).map(({ table }) => table));
const comments = named(/comment\s+on\s+table\s+"?(?<table>\w+)"?\s+is\s+'owner: (?<owner>[\w-]+)/gi);

const ownerOf = new Map<string, string>();
for (const { table, owner } of comments) if (table && owner) ownerOf.set(table, owner);
for (const { table, whole } of created) {
  const owner = whole && ownerOf.get(whole);
  if (table && owner) ownerOf.set(table, owner);
}
const tables = created.flatMap(({ table }) => (table && !dropped.has(table) ? [table] : []));

test('every table names the feature that owns it', () => {
  expect(tables.length).toBeGreaterThan(0);
  expect(tables.filter((table) => !ownerOf.has(table))).toEqual([]);
});

test('every owner is a feature or a part of the core', () => {
  expect([...ownerOf].filter(([, owner]) => !owners.has(owner))).toEqual([]);
});

// Tests insert rows of any feature; everything else asks the owner.
const written = sources('server/src/**/*.ts').filter(
  ({ file }) => !file.endsWith('.test.ts') && !file.includes('/testing/'),
);

test('only its owner writes a table', () => {
  expect(written.flatMap(foreignWrites)).toEqual([]);
});

test('a write names its table where it is written', () => {
  const dynamic =
    /\b(insertInto|updateTable|deleteFrom|mergeInto)\(\s*(?!['"])|\b(insert\s+into|delete\s+from|merge\s+into|truncate)\s+\$\{/gi;
  const unnamed = written.flatMap(({ file, code }) =>
    [...code.matchAll(dynamic)].map(({ index }) => `${file}:${lineOf(code, index)}`),
  );
  expect(unnamed).toEqual([]);
});

function foreignWrites({ file, code }: Source) {
  const owner = file.match(/^server\/src\/(?:core|features)\/([^/]+)\//)?.[1];
  const foreign = writesIn(code).filter(({ table }) => ownerOf.has(table) && ownerOf.get(table) !== owner);
  return foreign.map(({ table, index }) => `${file}:${lineOf(code, index)}: ${table} belongs to ${ownerOf.get(table)}`);
}

function writesIn(code: string) {
  const throughKysely = /\b(insertInto|updateTable|deleteFrom|mergeInto)\(\s*['"](?<table>\w+)/g;
  const asSql =
    /\b(insert\s+into|update(\s+only)?|delete\s+from(\s+only)?|merge\s+into|truncate(\s+table)?|copy)\s+(public\.)?"?(?<table>\w+)/gi;
  return [throughKysely, asSql].flatMap((pattern) =>
    [...code.matchAll(pattern)].map(({ groups, index }) => ({ table: snakeCase(groups?.['table'] ?? ''), index })),
  );
}

/** Kysely speaks of auditEntry where SQL says audit_entry. */
function snakeCase(name: string) {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, '');
}
