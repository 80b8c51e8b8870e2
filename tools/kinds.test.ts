import { expect, test } from 'vitest';
import { JobName } from '../contract/src/run-kinds.ts';
import { occurrences, sources } from './sources.ts';

/**
 * The only files that name a kind of job: its rules, its settings, its words and its screen. Everything else looks the
 * kind up in one of these, so that adding a kind means adding to them and to nothing else.
 */
const mayName = [
  /^contract\/src\/(run-kinds|job-kinds|explain)\.ts$/,
  /^contract\/src\/jobs-[\w-]+\.ts$/,
  /^server\/src\/features\/runs\/kinds\/[\w-]+\.ts$/,
  /^panel\/src\/domain\/run-kinds\.ts$/,
  /^panel\/src\/features\/jobs\/(stake-payout|gmp-distribution|referral-check|rank-bonus|rank-promotion)\.tsx$/,
];

/** Promoting a user changes what two other jobs pay, and the screen of the promotion shows by how much. */
const mayNameOthers = ['server/src/features/users/rank-moves.ts', 'server/src/features/users/rank-move-queries.ts'];

/** The demo is a story about the jobs that exist. */
const tellsStory = /^server\/src\/seed\//;

// A transfer of the kind "rank-bonus" has the name of its job.
const alsoTransferKind = /'rank-bonus'/;

const product = sources('{contract,server,panel}/src/**/*.{ts,tsx}').filter(
  ({ file }) => !/\.test\.tsx?$/.test(file) && !file.includes('/testing/') && !tellsStory.test(file),
);
const named = new RegExp(`'(${JobName.options.join('|')})'`, 'g');
const isTransferKind = (found: string) => alsoTransferKind.test(found) && /ledger/.test(found.split(':')[0] ?? '');

const found = occurrences(named, product).filter((one) => !isTransferKind(one));
const fileOf = (one: string) => one.split(':')[0] ?? '';

test('a kind of job is named only where its rules, settings, words and screen are', () => {
  const elsewhere = found.filter((one) => !mayName.some((allowed) => allowed.test(fileOf(one))));
  expect(elsewhere.filter((one) => !mayNameOthers.includes(fileOf(one)))).toEqual([]);
});

test('every exemption is needed', () => {
  const files = new Set(found.map(fileOf));
  expect(mayNameOthers.filter((file) => !files.has(file))).toEqual([]);
  expect(mayName.filter((allowed) => ![...files].some((file) => allowed.test(file)))).toEqual([]);
});
