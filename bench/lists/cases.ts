import { countedAtMost, rowsByDefault } from 'contract/paging.ts';
import { rareMatches, words } from './fill.ts';
import { type Asked, readAnswer, type Site } from './site.ts';

export const names = [
  'first',
  'deep',
  'deepByUsername',
  'byStatus',
  'searchRare',
  'searchCommon',
  'searchMiddling',
  'total',
] as const;
export type Name = (typeof names)[number];

/** A hundredth of the tickets is a hundred times as many rows at a hundred times the size; they have to be read. */
export const growsByNature: ReadonlySet<Name> = new Set(['searchMiddling']);

export type Cases = Record<Name, Asked>;

export async function findCases(site: Site): Promise<Cases> {
  return {
    first: {},
    deep: { cursor: await walkToTheMiddle(site, {}) },
    deepByUsername: { sort: 'username', cursor: await walkToTheMiddle(site, { sort: 'username' }) },
    byStatus: { status: 'open' },
    searchRare: { search: words.rare },
    searchCommon: { search: words.common },
    searchMiddling: { search: words.middling },
    // One row: what is left is the session and the total.
    total: { limit: 1 },
  };
}

const step = 100;

async function walkToTheMiddle(site: Site, asked: Asked) {
  let cursor: string | undefined;
  for (let passed = 0; passed < site.size / 2; passed += step) {
    const { text } = await site.ask({ ...asked, cursor, limit: step });
    cursor = readAnswer(text).nextCursor ?? undefined;
    if (cursor === undefined) throw new Error(`The list of ${site.size} ended before its middle.`);
  }
  return cursor;
}

/** A fast wrong answer is worth nothing: each case is asked once and its answer counted. */
export async function assertAnswers(site: Site, cases: Cases) {
  const found = { searchRare: rareMatches, searchCommon: site.size / 5, searchMiddling: site.size / 100 };
  for (const name of names) {
    const { tickets, total } = readAnswer((await site.ask(cases[name])).text);
    const matches = name in found ? Math.min(found[name as keyof typeof found], countedAtMost) : site.size;
    const rows = Math.min(cases[name].limit ?? rowsByDefault, matches);
    const right = tickets.length === rows && (name === 'byStatus' || total.count === matches);
    if (!right) throw new Error(`${name} of ${site.size}: ${tickets.length} rows, ${JSON.stringify(total)}.`);
  }
}
