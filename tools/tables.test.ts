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
const renamed = named(/alter\s+table\s+"?(?<from>\w+)"?\s+rename\s+to\s+"?(?<to>\w+)"?/gi);
for (const { from, to } of renamed) {
  const owner = from && ownerOf.get(from);
  if (from && to && owner) {
    ownerOf.delete(from);
    ownerOf.set(to, owner);
  }
}
const currentNames = new Map(renamed.map(({ from, to }) => [from, to]));
const tables = created.flatMap(({ table }) => {
  const current = currentNames.get(table) ?? table;
  return current && !dropped.has(table) ? [current] : [];
});

test('every table names the feature that owns it', () => {
  expect(tables.length).toBeGreaterThan(0);
  expect(tables.filter((table) => !ownerOf.has(table))).toEqual([]);
});

test('every owner is a feature or a part of the core', () => {
  expect([...ownerOf].filter(([, owner]) => !owners.has(owner))).toEqual([]);
});

// Tests insert rows of any feature; all other code calls the owner.
const written = sources('server/src/**/*.ts').filter(
  ({ file }) => !file.endsWith('.test.ts') && !file.includes('/testing/'),
);

test('only the owner of a table writes to it', () => {
  expect(written.flatMap(foreignWrites)).toEqual([]);
});

test('every write names its table as a literal', () => {
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

/** Kysely writes auditEntry where SQL writes audit_entry. */
function snakeCase(name: string) {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, '');
}
