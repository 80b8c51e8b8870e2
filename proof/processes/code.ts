import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const floors = ['contract', 'server'];
const workspaces = [...floors, 'panel'];
const root = path.resolve(import.meta.dirname, '../..');

/** A text of a file and what stands in its place; `file` is seen from the root of the repository. */
export type Change = { file: string; from: string; to: string };

export type Code = { folder: string; remove(): void };

/**
 * What is run by a proof: the code as it stands now, whoever is editing it meanwhile, or with something changed in it.
 * It stands on the same installed packages.
 */
export function copyCode(changes: readonly Change[] = []): Code {
  const folder = mkdtempSync(path.join(tmpdir(), 'bursar-proof-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const isTest = /\.test\.ts$/;
    for (const floor of floors) {
      cpSync(path.join(root, floor), path.join(folder, floor), {
        recursive: true,
        filter: (file) => !isTest.test(file),
      });
    }
    linkPackages(folder);
    for (const change of changes) apply(folder, change);
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, remove };
}

/** The floors must be the copy's own, or a change in one would not be seen from the other. */
function linkPackages(folder: string) {
  const installed = path.join(root, 'node_modules');
  const linked = path.join(folder, 'node_modules');
  mkdirSync(linked);
  for (const name of readdirSync(installed)) {
    if (!workspaces.includes(name) && name !== '.cache')
      symlinkSync(path.join(installed, name), path.join(linked, name));
  }
  for (const floor of floors) symlinkSync(path.join(folder, floor), path.join(linked, floor));
}

/** A change that finds nothing to change would make a mutant of the code as it is. */
function apply(folder: string, { file, from, to }: Change) {
  const place = path.join(folder, file);
  const before = readFileSync(place, 'utf8');
  if (before.split(from).length !== 2) throw new Error(`${file} does not say once: ${from}`);
  writeFileSync(
    place,
    before.replace(from, () => to),
  );
}
