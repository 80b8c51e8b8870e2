import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { files, root } from './sources.ts';

type Entry = {
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  version?: string;
  license?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
};

const lockText = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
const lock = JSON.parse(lockText) as { packages: Record<string, Entry> };
const installed = Object.entries(lock.packages)
  .filter(([place, { link }]) => place.includes('node_modules/') && !link)
  .map(([place, entry]) => ({ ...entry, name: place.split('node_modules/').at(-1) ?? '' }));
const inProduction = installed.filter(({ dev, devOptional }) => !dev && !devOptional);

const own = ['contract', 'server', 'panel', 'client'];
const direct = ['package.json', ...files('{contract,server,panel,client}/package.json')].flatMap((file) => {
  type Manifest = { dependencies?: Record<string, string>; devDependencies?: Record<string, string> };
  const manifest = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as Manifest;
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  return versions.filter(([name]) => !own.includes(name)).map(([name, version]) => ({ file, name, version }));
});

/** Packages that add binaries for other platforms have no checksum until somebody installs them from a full registry. */
const isForAnotherPlatform = ({ optional, license }: Entry) => optional === true && license === undefined;

test('packages are pinned to one version', () => {
  const loose = direct.filter(({ version }) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  expect(loose.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

test('every direct dependency has a row in docs/dependencies.md, and every row a dependency', () => {
  const described = describedPackages();
  const names = [...new Set(direct.map(({ name }) => name))];
  const isDescribed = (name: string) => described.some((pattern) => path.matchesGlob(name, pattern));
  expect(names.filter((name) => !isDescribed(name))).toEqual([]);
  expect(described.filter((pattern) => !names.some((name) => path.matchesGlob(name, pattern)))).toEqual([]);
});

test('nothing that production installs runs an install script', () => {
  expect(inProduction.length).toBeGreaterThan(100);
  expect(inProduction.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name)).toEqual([]);
});

test('production installs permissive licenses only, apart from libvips', () => {
  const permissive = /^\(?(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|Unlicense)( OR [\w.-]+)?\)?$/;
  const others = inProduction.filter((it) => !isForAnotherPlatform(it) && !permissive.test(it.license ?? ''));
  expect(others.filter(({ name }) => !name.startsWith('@img/sharp-')).map(({ name }) => name)).toEqual([]);
  expect(new Set(others.map(({ license }) => license))).toEqual(
    new Set(['LGPL-3.0-or-later', 'Apache-2.0 AND LGPL-3.0-or-later', 'Apache-2.0 AND LGPL-3.0-or-later AND MIT']),
  );
});

test('the lock file has the checksum of every package', () => {
  const unchecked = installed.filter((it) => !isForAnotherPlatform(it) && !it.integrity?.startsWith('sha512-'));
  expect(unchecked.map(({ name }) => name)).toEqual([]);
});

test('the lock file contains no registry URLs', () => {
  expect([...lockText.matchAll(/"resolved": "\w+:\/\/[^"]*"/g)].map(([text]) => text)).toEqual([]);
});

test('the lock file has the packages of every platform (tools/complete-lock.ts adds them)', () => {
  const known = new Set(installed.map(({ name }) => name));
  const wanted = installed.flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}));
  expect(wanted.filter((name) => !known.has(name))).toEqual([]);
});

/** The second column of the tables names packages in backticks, several with braces or an asterisk. */
function describedPackages() {
  const text = readFileSync(path.join(root, 'docs/dependencies.md'), 'utf8');
  const cells = text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split(' | ')[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}
