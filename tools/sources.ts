import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');

export type Source = { file: string; text: string; code: string };

/** Reads the files that match the patterns, relative to the root. `code` is the text without comments. */
export function sources(...patterns: string[]): Source[] {
  return files(...patterns).map((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return { file, text, code: withoutComments(text) };
  });
}

export function files(...patterns: string[]): string[] {
  const unwanted = ({ name }: { name: string }) => name === 'node_modules' || name === 'dist';
  const found = globSync(patterns, { cwd: root, exclude: unwanted, withFileTypes: true });
  const names = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  return names.map((name) => path.relative(root, name)).toSorted();
}

export function folders(parent: string): string[] {
  const found = globSync(`${parent}/*`, { cwd: root, withFileTypes: true });
  return found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Replaces comments with spaces but keeps line breaks, so that line numbers stay right. A URL is not a comment. */
function withoutComments(text: string) {
  const blank = (comment: string) => comment.replaceAll(/[^\n]/g, ' ');
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, blank).replaceAll(/(?<![:'"`\\])\/\/.*$/gm, blank);
}

/** Returns the matches of a pattern in code, as `file:line: match`. */
export function occurrences(pattern: RegExp, inSources: readonly Source[]): string[] {
  return inSources.flatMap(({ file, code }) =>
    [...code.matchAll(pattern)].map((match) => `${file}:${lineOf(code, match.index)}: ${match[0].trim()}`),
  );
}

export const lineOf = (text: string, index: number) => text.slice(0, index).split('\n').length;
