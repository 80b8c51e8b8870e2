import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * Opens a document whose commands, files and outputs are code blocks with a name, and whose bold texts are what a reader
 * uses or sees in the panel. It remembers what was not used, so that a test can require that nothing was left out.
 */
export function openDocument(file: string) {
  const text = readFileSync(path.join(root, file), 'utf8');
  const blocks = new Map<string, string>();
  for (const { groups } of text.matchAll(/^```\w+ (?<name>\S+)\n(?<block>[\s\S]*?)^```$/gm)) {
    const { name = '', block = '' } = groups ?? {};
    if (blocks.has(name)) throw new Error(`${file} has two code blocks named ${name}.`);
    blocks.set(name, block);
  }
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '');
  const bold = new Set([...prose.matchAll(/\*\*(?<label>[^*]+)\*\*/g)].map(({ groups }) => groups?.['label'] ?? ''));
  const unused = new Set([...blocks.keys(), ...bold]);

  return {
    prose,
    unused,
    fences: text.match(/^```\w/gm)?.length ?? 0,
    blocks: blocks.size,
    block(name: string) {
      const found = blocks.get(name);
      if (found === undefined) throw new Error(`${file} has no code block named ${name}.`);
      unused.delete(name);
      return found;
    },
    /** Returns a text that the document prints in bold. Fails if it does not. */
    bold(label: string) {
      if (!bold.has(label)) throw new Error(`${file} does not say: ${label}`);
      unused.delete(label);
      return label;
    },
  };
}

export type Document = ReturnType<typeof openDocument>;
