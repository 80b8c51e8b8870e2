import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

export type Document = 'README.md' | 'docs/operating.md';

/** Returns the code block of that name, so that the proof runs what the document says. Fails unless there is one. */
export function blockOf(document: Document, name: string) {
  const text = readFileSync(path.join(root, document), 'utf8');
  const blocks = [...text.matchAll(/^```\w+ (?<name>\S+)\n(?<block>[\s\S]*?)^```$/gm)];
  const [found, another] = blocks.filter(({ groups }) => groups?.['name'] === name);
  const block = found?.groups?.['block'];
  if (!block || another) throw new Error(`${document} does not have one code block named ${name}.`);
  return block;
}

export const linesOf = (document: Document, name: string) =>
  blockOf(document, name)
    .split('\n')
    .filter((line) => line !== '');

/** Replaces what differs on a test machine. Fails if a text is no longer there. */
export function replaced(text: string, replacements: Record<string, string>) {
  let result = text;
  for (const [from, to] of Object.entries(replacements)) {
    if (!result.includes(from)) throw new Error(`The documents do not say any more: ${from}`);
    result = result.replaceAll(from, to);
  }
  return result;
}
