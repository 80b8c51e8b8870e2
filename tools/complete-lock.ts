/**
 * Adds the missing packages of other platforms to the lock file. Some registries, mirrors above all, hold the packages
 * of some platforms only; a lock file written from one lacks the others, and `npm ci` then refuses it everywhere. The
 * version is the one that the parent names, the platform is in the package's name, and the next `npm install` that can
 * reach the package fills in the checksum.
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
  const parts = name.split(/[-/]/);
  const os = parts.find((part) => ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'].includes(part));
  const cpu = parts.find((part) => /^(arm|arm64|ia32|ppc64|riscv64|s390x|x64|wasm32)$/.test(part));
  if (!cpu || !/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name}@${version} does not say its platform.`);
  const musl = parts.some((part) => part.startsWith('musl'));
  const gnu = parts.some((part) => part.startsWith('gnu'));
  return {
    version,
    cpu: [cpu],
    ...(dev && { dev }),
    ...((musl || gnu) && { libc: [musl ? 'musl' : 'glibc'] }),
    optional: true,
    ...(os && { os: [os] }),
  };
}
