import { expect, test } from 'vitest';
import { copyCode } from './processes/code.ts';
import { forgetsPaid, notOneTransaction } from './T2/mutant.ts';
import { unlocked } from './T4/mutant.ts';
import { forgetsAnswers, forgetsIds } from './T5/mutant.ts';
import { mutants as ofAuthority } from './T6/mutants.ts';
import { mutants as ofAnswers } from './T7/mutants.ts';
import { oneLaneForAll } from './T8/mutant.ts';
import { mutants as ofSecrets } from './T9/mutants.ts';
import { mutants as ofClocks } from './T11/mutants.ts';
import { acknowledgesFailures, ofStorm } from './T12/mutants.ts';
import { writesHtml } from './T13/mutant.ts';
import { mutants as ofPlatform } from './platform/mutants.ts';
import { mutants as ofRuns } from './simulation/mutants.ts';

/* The code that a proof changes must exist; the proof itself would only fail after minutes. */
const ofRoles = Object.fromEntries(Object.entries(ofAuthority).map(([name, { change }]) => [name, change]));
const ofFaults = { ...ofAnswers, ...ofSecrets, ...ofStorm, acknowledgesFailures };
const single = Object.entries({
  ...ofRuns,
  ...ofPlatform,
  ...ofRoles,
  ...ofFaults,
  notOneTransaction,
  forgetsPaid,
}).map(([name, change]) => [name, [change]] as const);
const all = { ...ofClocks, ...Object.fromEntries(single), unlocked, forgetsAnswers, forgetsIds, oneLaneForAll };

test.each(Object.entries(all))('the mutant %s applies to the current code', (_name, changes) => {
  expect(() => copyCode(changes).remove()).not.toThrow();
});

test('the mutant of the panel applies to the current code', () => {
  expect(() => copyCode([writesHtml], { panel: true }).remove()).not.toThrow();
});
