import { type Breach, file } from './breach.ts';

const endpointWithoutAccess = `import { z } from 'zod';
import { endpoint } from './core/endpoint.ts';
export const open = endpoint({
  feature: 'health', method: 'GET', url: '/api/open', summary: 'Open', answer: z.object({}), refusals: {},
});
`;

const types: Breach[] = [
  {
    name: 'an endpoint without access rules',
    step: 'types-contract',
    plant: file('contract/src/breach-access.ts', endpointWithoutAccess),
    seenAs: /breach-access\.ts[^]*?'access' is missing/,
  },
  ...['contract', 'server', 'panel', 'tools'].map((workspace) => ({
    name: `a type error in ${workspace}`,
    step: `types-${workspace}`,
    plant: file(
      `${workspace === 'tools' ? workspace : `${workspace}/src`}/breach-type.ts`,
      "export const wrong: number = 'text';\n",
    ),
    seenAs: /breach-type\.ts\(1,14\): error TS2322/,
  })),
];

const lines = (count: number) => Array.from({ length: count }, (_, line) => `  console.info(${line});\n`).join('');
const promise = 'const later = () => Promise.resolve(1);\n';

/** The violation, the rule that reports it, and where it is planted. */
const faults: [name: string, rule: string, place: string, text: string][] = [
  ['a floating promise', 'no-floating-promises', 'server/src/core/http/breach-floating.ts', `${promise}later();\n`],
  [
    'a promise discarded with void',
    'no-floating-promises',
    'server/src/core/http/breach-void.ts',
    `${promise}void later();\n`,
  ],
  [
    'an async forEach',
    'no-misused-promises',
    'server/src/core/http/breach-each.ts',
    '[1].forEach(async (n) => Promise.resolve(n));\n',
  ],
  [
    'a switch that forgets a case',
    'switch-exhaustiveness-check',
    'contract/src/breach-switch.ts',
    "export function name(it: 'a' | 'b') {\n  switch (it) {\n    case 'a':\n      return 1;\n  }\n  return 2;\n}\n",
  ],
  ['any', 'no-explicit-any', 'contract/src/breach-any.ts', 'export const loose: any = 1;\n'],
  [
    'a non-null assertion',
    'no-non-null-assertion',
    'contract/src/breach-bang.ts',
    'export const sure = (it?: string) => it!;\n',
  ],
  [
    'a function of 71 lines',
    'max-lines-per-function',
    'tools/breach-function.ts',
    `export function long() {\n${lines(69)}}\n`,
  ],
  [
    'a component of 71 lines',
    'max-lines-per-function',
    'panel/src/ui/breach-long.tsx',
    `export function Long() {\n${lines(69)}}\n`,
  ],
  ['a file of 301 lines', 'max-lines', 'tools/breach-file.ts', 'export {};\n'.repeat(301)],
  [
    'a function of four parameters',
    'max-params',
    'contract/src/breach-params.ts',
    'export const four = (a: 1, b: 1, c: 1, d: 1) => [a, b, c, d];\n',
  ],
  [
    'raw markup',
    'no-danger',
    'panel/src/ui/breach-markup.tsx',
    "export const Raw = () => <p dangerouslySetInnerHTML={{ __html: '' }} />;\n",
  ],
  ['console in the server', 'no-console', 'server/src/core/http/breach-console.ts', "console.error('here');\n"],
  [
    'a second fetch in the panel',
    'no-restricted-globals',
    'panel/src/ui/breach-fetch.ts',
    'export const get = fetch;\n',
  ],
  [
    'a silenced type error',
    'ban-ts-comment',
    'contract/src/breach-silence.ts',
    `// @ts-${'ignore'}\nexport const wrong: number = '';\n`,
  ],
  ['a barrel', 'no-barrel-file', 'contract/src/breach-barrel.ts', "export * from './auth.ts';\n"],
  [
    'a test that runs alone',
    'no-focused-tests',
    'contract/src/breach-only.test.ts',
    "import { test } from 'vitest';\ntest.only('this', () => undefined);\n",
  ],
  [
    'a test that is skipped',
    'no-disabled-tests',
    'contract/src/breach-skip.test.ts',
    "import { test } from 'vitest';\ntest.skip('this', () => undefined);\n",
  ],
  [
    'a link that exposes its window',
    'jsx-no-target-blank',
    'panel/src/ui/breach-link.tsx',
    'export const Out = () => <a href="https://breach.example/" target="_blank">out</a>;\n',
  ],
];

const lint = faults.map(([name, rule, place, text]): Breach => {
  const where = (place.split('/').at(-1) ?? '').replaceAll('.', '\\.');
  return { name, step: 'lint', plant: file(place, text), seenAs: new RegExp(`\\(${rule}\\)[^]{0,600}?${where}`) };
});

const unused: Breach[] = [
  {
    name: 'an unused export',
    step: 'unused',
    plant: (tree) => tree.edit('server/src/core/platform-id.ts', (text) => `${text}\nexport const breachExport = 1;\n`),
    seenAs: /breachExport/,
  },
  {
    name: 'an endpoint that is neither served nor called',
    step: 'unused',
    plant: (tree) => tree.edit('contract/src/health.ts', (text) => `${text}\nexport const breachInContract = 1;\n`),
    seenAs: /breachInContract/,
  },
  {
    name: 'an unused file',
    step: 'unused',
    plant: file('panel/src/ui/breach-orphan.ts', 'export const alone = 1;\n'),
    seenAs: /breach-orphan\.ts/,
  },
  {
    name: 'an unused package',
    step: 'unused',
    plant: (tree) =>
      tree.edit('server/package.json', (text) => text.replace(/"dependencies": \{/, '$& "semver": "7.7.2",')),
    seenAs: /Unused dependencies[^]*semver/,
  },
  {
    name: 'a package that no workspace lists',
    step: 'unused',
    plant: (tree) => tree.edit('server/src/core/refusal.ts', (text) => `import 'nanoid';\n${text}`),
    seenAs: /Unlisted dependencies[^]*nanoid/,
  },
];

export const codeBreaches: Breach[] = [
  {
    name: 'a file that is not formatted',
    step: 'format',
    plant: file('contract/src/breach-format.ts', 'export const   spaced  = "out"\n'),
    seenAs: /breach-format\.ts format/,
  },
  ...types,
  ...lint,
  ...unused,
  {
    name: 'types of tables that do not match the migrations',
    step: 'schema',
    plant: (tree) =>
      tree.edit('server/src/core/db/schema.gen.ts', (text) =>
        text.replace('passwordHash: string', 'passwordHash: number'),
      ),
    seenAs: /not up-to-date|passwordHash/,
  },
];
