import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const copied = ['contract', 'server'];
const workspaces = [...copied, 'panel'];
const root = path.resolve(import.meta.dirname, '../..');

/** Replaces `from`, which must occur once, by `to`; `file` is relative to the root of the repository. */
export type Change = { file: string; from: string; to: string };

export type Code = { folder: string; remove(): void };

/**
 * Copies the current code for a proof, optionally with changes, so that concurrent edits do not affect it. The copy
 * uses the same installed packages. Fails if a change does not apply.
 */
export function copyCode(changes: readonly Change[] = []): Code {
  const folder = mkdtempSync(path.join(tmpdir(), 'bursar-proof-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const isTest = /\.test\.ts$/;
    for (const workspace of copied) {
      cpSync(path.join(root, workspace), path.join(folder, workspace), {
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

/** Puts the built panel beside a copied server, which serves it. */
export function servePanel({ folder }: Code) {
  mkdirSync(path.join(folder, 'panel'));
  symlinkSync(path.join(root, 'panel/dist'), path.join(folder, 'panel/dist'));
}

/** The workspaces must link to the copy, or a change in one would not be seen from the other. */
function linkPackages(folder: string) {
  const installed = path.join(root, 'node_modules');
  const linked = path.join(folder, 'node_modules');
  mkdirSync(linked);
  for (const name of readdirSync(installed)) {
    if (!workspaces.includes(name) && name !== '.cache')
      symlinkSync(path.join(installed, name), path.join(linked, name));
  }
  for (const workspace of copied) symlinkSync(path.join(folder, workspace), path.join(linked, workspace));
}

/** Fails unless `from` occurs once: otherwise the mutant would be the unchanged code. */
function apply(folder: string, { file, from, to }: Change) {
  const place = path.join(folder, file);
  const before = readFileSync(place, 'utf8');
  if (before.split(from).length !== 2) throw new Error(`${file} does not say once: ${from}`);
  writeFileSync(
    place,
    before.replace(from, () => to),
  );
}
