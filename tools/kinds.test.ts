import { expect, test } from 'vitest';
import { JobName, RunKind } from '../contract/src/run-kinds.ts';
import { occurrences, sources } from './sources.ts';

/**
 * The only files that may name a kind of job: those with its rules, settings, texts and screen. All other code looks
 * the kind up in one of these, so that adding a kind changes only them.
 */
const mayName = [
  /^contract\/src\/(run-kinds|job-kinds|explain)\.ts$/,
  /^contract\/src\/jobs-[\w-]+\.ts$/,
  /^server\/src\/features\/runs\/kinds\/[\w-]+\.ts$/,
  /^panel\/src\/domain\/run-kinds\.ts$/,
  /^panel\/src\/features\/jobs\/(stake-payout|gmp-distribution|referral-check|rank-bonus|rank-promotion)\.tsx$/,
];

/** A promotion changes what two other jobs pay, and its screen shows by how much. */
const mayNameOthers = ['server/src/features/users/rank-moves.ts', 'server/src/features/users/rank-move-queries.ts'];

/** The demo data has runs of every job. */
const demoData = /^server\/src\/seed\//;

// The transfer kind "rank-bonus" has the same name as its job.
const alsoTransferKind = /'rank-bonus'/;

const product = sources('{contract,server,panel}/src/**/*.{ts,tsx}').filter(
  ({ file }) => !/\.test\.tsx?$/.test(file) && !file.includes('/testing/') && !demoData.test(file),
);
const named = new RegExp(`'(${JobName.options.join('|')})'`, 'g');
const isTransferKind = (found: string) => alsoTransferKind.test(found) && /ledger/.test(found.split(':')[0] ?? '');

const found = occurrences(named, product).filter((one) => !isTransferKind(one));
const fileOf = (one: string) => one.split(':')[0] ?? '';

test('a kind of job is named only in the files with its rules, settings, texts and screen', () => {
  const elsewhere = found.filter((one) => !mayName.some((allowed) => allowed.test(fileOf(one))));
  expect(elsewhere.filter((one) => !mayNameOthers.includes(fileOf(one)))).toEqual([]);
});

test('every run kind has a link to its settings in the navigation', () => {
  const [navigation] = sources('panel/src/shell/navigation.ts');
  const linked = (kind: string) => navigation?.code.includes(`'/dashboard/settings/cronjobs/${kind}'`);
  expect(RunKind.options.filter((kind) => !linked(kind))).toEqual([]);
});

test('every exemption is needed', () => {
  const files = new Set(found.map(fileOf));
  expect(mayNameOthers.filter((file) => !files.has(file))).toEqual([]);
  expect(mayName.filter((allowed) => ![...files].some((file) => allowed.test(file)))).toEqual([]);
});
