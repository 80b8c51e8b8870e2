import { type Breach, file } from './breach.ts';

const endpoint = (name: string, parts: string) => `export const ${name} = endpoint({
  feature: 'health', access: 'anyone', summary: '', answer: z.object({}), refusals: {}, ${parts},
});
`;

const endpoints = [
  endpoint('breachBody', "method: 'POST', url: '/api/breach/body', body: z.object({ a: z.string() })"),
  endpoint(
    'breachNested',
    "method: 'POST', url: '/api/breach/nested', body: z.strictObject({ a: z.array(z.object({})).optional() })",
  ),
  endpoint('breachQuery', "method: 'GET', url: '/api/breach/query', querystring: z.looseObject({})"),
  endpoint('breachTwice', "method: 'GET', url: '/api/health/live'"),
].join('');

const strangeEndpoints = (tree: Parameters<Breach['plant']>[0]) =>
  tree.write(
    'contract/src/breach-feature.ts',
    `import { z } from 'zod';\nimport { endpoint } from './core/endpoint.ts';\n${endpoints}`,
  );

const migration = `create table breach_orphan (id int);
create table breach_stray (id int);
comment on table breach_stray is 'owner: nowhere.';
`;

const breach = (name: string, seenAs: RegExp, plant: Breach['plant']): Breach => ({
  name,
  step: 'tidy',
  seenAs,
  plant,
});

const nothing = () => undefined;

export const tidyBreaches: Breach[] = [
  breach(
    'the environment read outside the configuration',
    /breach-environment\.ts:1/,
    file('server/src/core/http/breach-environment.ts', 'export const home = process.env.HOME;\n'),
  ),
  breach(
    'the environment read by its module',
    /breach-module\.ts:1/,
    file('server/src/core/http/breach-module.ts', "import { env } from 'node:process';\nexport { env };\n"),
  ),
  breach(
    'a second way to the network in the panel',
    /breach-network\.ts:1/,
    file('panel/src/shell/breach-network.ts', 'export const get = () => window.fetch;\n'),
  ),
  breach(
    'text inserted as HTML',
    /breach-inner\.ts:1/,
    file('panel/src/ui/breach-inner.ts', "document.body.innerHTML = '';\n"),
  ),
  breach(
    'a suppressed lint rule',
    /breach-off\.ts:1/,
    file('server/src/core/http/breach-off.ts', `// ox${'lint'}-disable-next-line\nexport const a = 1;\n`),
  ),
  breach('a file named utils', /panel\/src\/ui\/utils\.ts/, file('panel/src/ui/utils.ts', 'export const a = 1;\n')),
  breach('a style sheet of 302 lines', /breach-long\.css/, file('panel/src/ui/breach-long.css', 'a {}\n'.repeat(302))),
  breach('a package without a pinned version', /server\/package\.json: pg"/, (tree) =>
    tree.edit('server/package.json', (text) => text.replace(/"pg": "/, '"pg": "^')),
  ),
  breach('a registry host in the lock file', /breach\.example/, (tree) =>
    tree.edit('package-lock.json', (text) =>
      text.replace('"integrity":', '"resolved": "https://breach.example/a.tgz",\n      "integrity":'),
    ),
  ),
  breach('a platform missing in the lock file', /@biomejs\/cli-darwin-breach/, (tree) =>
    tree.edit('package-lock.json', (text) =>
      text.replace('"@biomejs/cli-darwin-x64": "', '"@biomejs/cli-darwin-breach": "'),
    ),
  ),
  breach('a broken link', /docs\/breach\.md -> no-such\.md/, file('docs/breach.md', '[there](no-such.md)\n')),
  breach('a table without an owner', /"breach_orphan"/, (tree) =>
    tree.write('server/migrations/9999_breach.sql', migration),
  ),
  breach('an owner that is not a feature', /"breach_stray"[^]*?"nowhere"/, nothing),
  breach(
    'a foreign table written through Kysely',
    /breach-write\.ts:1: audit_entry belongs to audit/,
    file(
      'server/src/features/tickets/breach-write.ts',
      "export const write = (tx: never) => tx.insertInto('auditEntry');\n",
    ),
  ),
  breach(
    'a foreign table written in SQL',
    /breach-sql\.ts:1: session belongs to auth/,
    file('server/src/features/tickets/breach-sql.ts', 'export const text = sql`delete\n  from session where true`;\n'),
  ),
  breach(
    'a write to a table that is not named',
    /breach-dynamic\.ts:1/,
    file(
      'server/src/features/tickets/breach-dynamic.ts',
      'export const write = (tx: never, table: never) => tx.deleteFrom(table);\n',
    ),
  ),
  breach(
    'a feature that the contract does not have',
    /"breachfeature"/,
    file('server/src/features/breachfeature/routes.ts', 'export const a = 1;\n'),
  ),
  breach('a feature that a package lacks', /"breachpackage"/, (tree) =>
    tree.edit('contract/src/core/endpoint.ts', (text) => text.replace("  'auth',", "  'breachpackage',\n  'auth',")),
  ),
  breach('a body that accepts unknown fields', /"breachBody\.body"/, strangeEndpoints),
  breach('a nested body that accepts unknown fields', /"breachNested\.body\.a"/, nothing),
  breach('a query that accepts unknown fields', /"breachQuery\.querystring"/, nothing),
  breach('two endpoints at one address', /"GET \/api\/health\/live"/, nothing),
  breach("an endpoint in another feature's file", /"breachTwice"/, nothing),
];
