import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { documentOfRuns } from './run-states.ts';
import { root } from './sources.ts';

const file = path.join(root, 'docs/runs.md');

// To regenerate them: npx vitest run --project tidy tools/run-states.test.ts --update
test('the table and the diagram in docs/runs.md match the contract', async () => {
  await expect(documentOfRuns(readFileSync(file, 'utf8'))).toMatchFileSnapshot(file);
});
