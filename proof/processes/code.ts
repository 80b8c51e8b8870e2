import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ofServer = ['contract', 'server'];
const workspaces = [...ofServer, 'panel'];
/** What the build of the panel reads beside the workspaces. */
const ofBuild = ['package.json', 'tsconfig.base.json'];
const root = path.resolve(import.meta.dirname, '../..');

/** Replaces `from`, which must occur once, by `to`; `file` is relative to the root of the repository. */
export type Change = { file: string; from: string; to: string };

export type Code = { folder: string; remove(): void };

/**
 * Copies the current code for a proof, optionally with changes, so that concurrent edits do not affect it. The copy
 * uses the same installed packages. With `panel` it has the sources of the panel as well, to build it from. Fails if a
 * change does not apply.
 */
export function copyCode(changes: readonly Change[] = [], { panel = false } = {}): Code {
  const copied = panel ? workspaces : ofServer;
  const folder = mkdtempSync(path.join(tmpdir(), 'bursar-proof-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const isTest = /\.test\.ts$/;
    for (const workspace of copied) {
      cpSync(path.join(root, workspace), path.join(folder, workspace), {
        recursive: true,
        filter: (file) => !isTest.test(file) && file !== path.join(root, 'panel/dist'),
      });
    }
    if (panel) for (const file of ofBuild) cpSync(path.join(root, file), path.join(folder, file));
    linkPackages(folder, copied);
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
function linkPackages(folder: string, copied: readonly string[]) {
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
