/**
 * Some registries, mirrors above all, hold the packages of some platforms only. A lock file written from
 * one lacks the others, and then `npm ci` refuses it everywhere. This adds what is missing: the version is
 * the one its parent names, the platform is in the name, and the checksum is filled in by the next
 * `npm install` that can reach the package.
 */
import { readFileSync, writeFileSync } from 'node:fs';

type Entry = {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
};
type Lock = { packages: Record<string, Entry> };

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
const known = new Set(Object.keys(lock.packages).map((place) => place.split('node_modules/').at(-1)));

const missing = Object.values(lock.packages).flatMap(({ optionalDependencies, dev }) =>
  Object.entries(optionalDependencies ?? {})
    .filter(([name]) => !known.has(name))
    .map(([name, version]): [string, Entry] => [
      `node_modules/${name}`,
      entryFor(name, { version, dev: dev ?? false }),
    ]),
);

const packages = [...Object.entries(lock.packages), ...missing].toSorted(([a], [b]) => a.localeCompare(b, 'en'));
writeFileSync('package-lock.json', `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
console.log(`${missing.length} packages of other platforms added`);

function entryFor(name: string, { version, dev }: { version: string; dev: boolean }): Entry {
  const words = name.split(/[-/]/);
  const os = words.find((word) => ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'].includes(word));
  const cpu = words.find((word) => /^(arm|arm64|ia32|ppc64|riscv64|s390x|x64|wasm32)$/.test(word));
  if (!cpu || !/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name}@${version} does not say its platform.`);
  const musl = words.some((word) => word.startsWith('musl'));
  const gnu = words.some((word) => word.startsWith('gnu'));
  return {
    version,
    cpu: [cpu],
    ...(dev && { dev }),
    ...((musl || gnu) && { libc: [musl ? 'musl' : 'glibc'] }),
    optional: true,
    ...(os && { os: [os] }),
  };
}
