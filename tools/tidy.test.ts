import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { lineOf, occurrences, root, sources } from './sources.ts';

const product = sources('{contract,server,panel,client}/src/**/*.{ts,tsx}');
const everything = sources(
  '{contract,server,panel,client}/src/**/*.{ts,tsx}',
  '{tools,proof,simulate,bench,e2e}/**/*.ts',
  'panel/*.ts',
);

test('the checks read all packages', () => {
  for (const name of ['contract', 'server', 'panel', 'client']) {
    expect(product.filter(({ file }) => file.startsWith(`${name}/src/`)).length, name).toBeGreaterThan(0);
  }
});

test('only the configuration reads the environment', () => {
  const others = product.filter(({ file }) => file !== 'server/src/config.ts');
  expect(occurrences(/\bprocess\s*\.\s*env\b|\bprocess\s*\[|from '(node:)?process'/g, others)).toEqual([]);
});

test('only call.ts of the panel accesses the network', () => {
  // The testing folder replaces the network with its own server.
  const others = product.filter(
    ({ file }) => /^panel\/(?!src\/testing\/)/.test(file) && file !== 'panel/src/shell/call.ts',
  );
  const networkApis =
    /(?<![.\w])fetch\s*\(|\b(window|globalThis|self)\s*\.\s*fetch\b|\bXMLHttpRequest\b|\bnew (EventSource|WebSocket)\b|\bsendBeacon\b/g;
  expect(occurrences(networkApis, others)).toEqual([]);
});

test('no text is inserted into the page as HTML', () => {
  const panel = product.filter(({ file }) => file.startsWith('panel/'));
  expect(
    occurrences(/\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|srcDoc)\b|document\.write/g, panel),
  ).toEqual([]);
});

test('no lint rule is suppressed', () => {
  const pattern = new RegExp(
    `\\b(${['ox', 'es'].join('|')})lint-disable|biome-${'ignore'}|@ts-(${'ignore'}|nocheck)|knip${'ignore'}`,
    'g',
  );
  const found = everything.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map(({ index, 0: match }) => `${file}:${lineOf(text, index)}: ${match}`),
  );
  expect(found).toEqual([]);
});

test('no file has a meaningless name', () => {
  const meaningless = /(^|\/)(utils?|helpers?|misc|common|shared|index)\.(ts|tsx)$|\/(utils?|helpers?|misc|common)\//;
  expect(everything.map(({ file }) => file).filter((file) => meaningless.test(file))).toEqual([]);
});

test('no style sheet is longer than 300 lines', () => {
  const sheets = sources('panel/src/**/*.css');
  expect(sheets.filter(({ text }) => text.split('\n').length > 301).map(({ file }) => file)).toEqual([]);
});

test('links between the documents are not broken', () => {
  const broken = sources('*.md', 'docs/**/*.md').flatMap(({ file, text }) => {
    const prose = text.replaceAll(/```[\s\S]*?```/g, '');
    const links = [...prose.matchAll(/\]\((?<target>[^)\s#]+)(#[^)]*)?\)/g)].map(
      (match) => match.groups?.['target'] ?? '',
    );
    const relative = links.filter((target) => !/^[a-z]+:/i.test(target));
    return relative
      .filter((target) => !existsSync(path.join(root, path.dirname(file), target)))
      .map((target) => `${file} -> ${target}`);
  });
  expect(broken).toEqual([]);
});

test('every component of Mantine that has a style sheet comes with it', () => {
  const panel = product.filter(({ file }) => file.startsWith('panel/'));
  const sheet = (name: string) => `@mantine/core/styles/${name}.layer.css`;
  const names = panel.flatMap(({ text }) =>
    [...text.matchAll(/import \{(?<names>[^}]*)\} from '@mantine\/core'/g)].flatMap(
      (match) => match.groups?.['names']?.match(/\b[A-Z]\w+/g) ?? [],
    ),
  );
  const styled = [...new Set(names)].filter((name) => existsSync(path.join(root, 'node_modules', sheet(name))));
  expect(styled).toContain('Button');
  expect(styled.filter((name) => !panel.some(({ text }) => text.includes(`'${sheet(name)}'`)))).toEqual([]);
});
