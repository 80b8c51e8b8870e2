import { expect, test } from 'vitest';
import { copyCode } from './processes/code.ts';
import { notOneTransaction } from './T2/mutant.ts';
import { unlocked } from './T4/mutant.ts';
import { forgetsAnswers } from './T5/mutant.ts';
import { mutants } from './T11/mutants.ts';

/* The code that a proof changes must exist; the proof itself would only fail after minutes. */
const all = { ...mutants, notOneTransaction, unlocked, forgetsAnswers };

test.each(Object.entries(all))('the mutant %s applies to the current code', (_name, changes) => {
  expect(() => copyCode(changes).remove()).not.toThrow();
});
