import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';

const packages = ['contract', 'server', 'panel', 'client'];
const folders = [...packages.map((name) => `${name}/src`), 'tools', 'proof', 'simulate', 'bench', 'e2e'];

type Cruise = {
  modules: { source: string; dependencies: { module: string }[] }[];
  summary: { violations: { from: string; to: string; rule: { name: string } }[] };
};

const cruised = spawnSync('depcruise', ['--config', '.dependency-cruiser.mjs', '--output-type', 'json', ...folders], {
  encoding: 'utf8',
  maxBuffer: 256 * 1024 * 1024,
});
if (!cruised.stdout) {
  console.error(cruised.stderr);
  process.exit(1);
}
const { modules, summary } = JSON.parse(cruised.stdout) as Cruise;
const complaints = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);

// With an incompatible parser or a wrong exclusion, dependency-cruiser finds no violations because it reads nothing.
// So the modules and imports that it saw are compared with those in the source files.
const seen = new Map(modules.map(({ source, dependencies }) => [source, new Set(dependencies.map((it) => it.module))]));
const written = packages
  .flatMap((name) => globSync(`${name}/src/**/*.{ts,tsx}`))
  .filter((file) => !file.endsWith('.d.ts'));
if (written.length === 0) complaints.push('no source files found');
for (const file of written) {
  const followed = seen.get(file);
  const unseen = importsOf(file).filter((imported) => !followed?.has(imported));
  complaints.push(...(followed ? unseen.map((it) => `not looked at: ${file} -> ${it}`) : [`not looked at: ${file}`]));
}

for (const complaint of complaints) console.error(complaint);
console.log(`${written.length} modules, ${complaints.length} complaints`);
// An exit would discard output that the pipe has not taken yet.
process.exitCode = complaints.length === 0 ? 0 : 1;

function importsOf(file: string) {
  const pattern = /^(?:import|export)\b[^'";]*?\bfrom '(?<from>[^']+)'|^import '(?<alone>[^']+)'/gm;
  const found = readFileSync(file, 'utf8').matchAll(pattern);
  return [...found].map(({ groups }) => (groups?.['from'] ?? groups?.['alone'] ?? '').replace(/^node:/, ''));
}
