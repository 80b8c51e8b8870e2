import { readFile, writeFile } from 'node:fs/promises';
import type { Attempt } from './forged.ts';
import type { Outcome } from './tries.ts';

const file = 'docs/security.md';
const [begins, ends] = ['<!-- T15: begins -->', '<!-- T15: ends -->'];

export type Tried = Attempt & { app: Outcome; worker: Outcome };

export function tableOf(tried: readonly Tried[]) {
  const cell = (outcome: Outcome, { harmless }: Attempt) =>
    outcome === 'harmless' ? `possible; ${harmless}` : outcome.replace(/(ledger|audit) verify/, '`$&`');
  return [
    '| What it would be | How | Login of the API | Login of the worker |',
    '|---|---|---|---|',
    ...tried.map((one) => `| ${one.aim} | ${one.what} | ${cell(one.app, one)} | ${cell(one.worker, one)} |`),
  ].join('\n');
}

/** Whether the document has exactly this table; writes it if asked to. */
export async function isInDocument(table: string, { write }: { write: boolean }) {
  const text = await readFile(file, 'utf8');
  const from = text.indexOf(begins);
  const to = text.indexOf(ends);
  if (from === -1 || to < from) throw new Error(`${file} has no place for the table.`);
  const wanted = `${text.slice(0, from)}${begins}\n\n${table}\n\n${text.slice(to)}`;
  if (write) await writeFile(file, wanted);
  return write || text === wanted;
}
