import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const workspaces = ['contract', 'server', 'panel'];

export type Tree = {
  folder: string;
  write(file: string, text: string): void;
  edit(file: string, change: (text: string) => string): void;
  revert(): void;
  remove(): void;
};

/** Makes a temporary copy of all files that would be committed, with the same installed packages. */
export function copyTree(): Tree {
  const folder = mkdtempSync(path.join(tmpdir(), 'bursar-fences-'));
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    encoding: 'utf8',
  });
  for (const file of listed.split('\0')) if (file && existsSync(file)) cpSync(file, path.join(folder, file));
  linkPackages(folder);

  const originals = new Map<string, string | undefined>();
  function write(file: string, text: string) {
    const place = path.join(folder, file);
    if (!originals.has(file)) originals.set(file, existsSync(place) ? readFileSync(place, 'utf8') : undefined);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, text);
  }
  return {
    folder,
    write,
    edit(file, change) {
      const before = readFileSync(path.join(folder, file), 'utf8');
      const after = change(before);
      if (after === before) throw new Error(`The breach in ${file} changes nothing.`);
      write(file, after);
    },
    revert() {
      for (const [file, text] of originals) {
        if (text === undefined) rmSync(path.join(folder, file));
        else writeFileSync(path.join(folder, file), text);
      }
      originals.clear();
      removeEmptyFolders(folder);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The workspaces must link to the copy, or a breach in one package would not be seen from another. */
function linkPackages(folder: string) {
  const installed = path.resolve('node_modules');
  const linked = path.join(folder, 'node_modules');
  mkdirSync(linked);
  for (const name of readdirSync(installed)) {
    if (!workspaces.includes(name) && name !== '.cache')
      symlinkSync(path.join(installed, name), path.join(linked, name));
  }
  for (const name of workspaces) symlinkSync(path.join(folder, name), path.join(linked, name));
}

/** Some checks treat a folder that a breach created as a feature, even when it is empty. */
function removeEmptyFolders(folder: string) {
  for (const parent of ['server/src/features', 'panel/src/features']) {
    for (const { name, parentPath } of readdirSync(path.join(folder, parent), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )) {
      const place = path.join(parentPath, name);
      if (readdirSync(place).length === 0) rmSync(place, { recursive: true });
    }
  }
}
