import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './sources.ts';

const document = 'docs/conformance.md';

const titlesRead = new Map<string, Set<string>>();

type Row = { literal: string; where: string; proofs: string[] };

/** Each row has a literal of the specification and the tests that prove it; a row whose test is gone is unproven. */
const rows = readFileSync(path.join(root, document), 'utf8').split('\n').flatMap(readRow);
const unproven = rows.flatMap(({ literal, proofs }) => {
  const faults = proofs.length > 0 ? proofs.flatMap(faultOf) : ['names no test'];
  return faults.map((fault) => `${literal}: ${fault}`);
});

for (const line of unproven) console.error(line);
if (rows.length === 0) console.error(`${document} has no row.`);
console.log(JSON.stringify({ rows: rows.length, unproven: unproven.length }));
process.exit(rows.length > 0 && unproven.length === 0 ? 0 : 1);

/** Parses a row of the table. A bar inside a cell is escaped as \|, as in any Markdown table. */
function readRow(line: string): Row[] {
  if (!line.startsWith('| ')) return [];
  const cells = line.split(/(?<!\\)\|/).slice(1, -1);
  const [literal = '', where = '', proof = ''] = cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
  const isFrame = literal === 'Literal' || /^-+$/.test(literal);
  return isFrame ? [] : [{ literal, where, proofs: proof.split('<br>').filter((one) => one !== '') }];
}

/** Checks a proof, which has the form `file`: title. */
function faultOf(proof: string): string[] {
  const { file, title } = /^`(?<file>[^`]+)`: (?<title>.+)$/.exec(proof.trim())?.groups ?? {};
  if (!file || !title) return [`cannot be read: ${proof}`];
  if (!existsSync(path.join(root, file))) return [`${file} does not exist`];
  return titlesIn(file).has(title) ? [] : [`${file} has no test "${title}"`];
}

function titlesIn(file: string): Set<string> {
  const known = titlesRead.get(file);
  if (known) return known;
  const text = readFileSync(path.join(root, file), 'utf8');
  // A title is the first argument of a call whose second one is a function, its name, or the options of a test.
  const found = text.matchAll(
    /\(\s*(?<quote>['"`])(?<title>(?:\\.|(?!\k<quote>).)+)\k<quote>,\s*(?:async\b|\(|\{|\w+Only\b|inGate\w*\b|\w+\))/g,
  );
  const titles = new Set([...found].map(({ groups }) => (groups?.['title'] ?? '').replaceAll(/\\(['"`])/g, '$1')));
  titlesRead.set(file, titles);
  return titles;
}
