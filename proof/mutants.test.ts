import { expect, test } from 'vitest';
import { copyCode } from './processes/code.ts';
import { notOneTransaction } from './T2/mutant.ts';
import { unlocked } from './T4/mutant.ts';
import { forgetsAnswers } from './T5/mutant.ts';
import { mutants } from './T11/mutants.ts';

/* What a proof changes in the code must be there to be changed; the proof itself says so only after minutes. */
const all = { ...mutants, notOneTransaction, unlocked, forgetsAnswers };

test.each(Object.entries(all))('the mutant %s can be made of the code as it stands', (_name, changes) => {
  expect(() => copyCode(changes).remove()).not.toThrow();
});
