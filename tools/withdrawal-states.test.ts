import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isFinal, WithdrawalState, withdrawalTransitions } from '../contract/src/withdrawal-states.ts';
import { root } from './sources.ts';
import { documentOfStates } from './state-document.ts';

const file = path.join(root, 'docs/withdrawals.md');

// To regenerate them: npx vitest run --project tidy tools/withdrawal-states.test.ts --update
test('the table and the diagram in docs/withdrawals.md match the contract', async () => {
  const machine = { transitions: withdrawalTransitions, finals: WithdrawalState.options.filter(isFinal) };
  await expect(documentOfStates(readFileSync(file, 'utf8'), machine)).toMatchFileSnapshot(file);
});
