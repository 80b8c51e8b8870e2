import { expect, test } from 'vitest';
import { sentences } from '../panel/src/domain/audit-action.ts';
import { sources } from './sources.ts';

const code = sources('server/src/**/*.ts')
  .filter(({ file }) => !file.endsWith('.test.ts'))
  .map((source) => source.code)
  .join('\n');

/** Some actions are written as a prefix and one of several endings. */
function isWritten(action: string) {
  const [feature = '', ending = ''] = action.split('.');
  return code.includes(`'${action}'`) || (code.includes(`\`${feature}.\${`) && code.includes(`'${ending}'`));
}

test('every action that the panel has words for is one that the server records', () => {
  expect(Object.keys(sentences).length).toBeGreaterThan(0);
  expect(Object.keys(sentences).filter((action) => !isWritten(action))).toEqual([]);
});
