import { expect, test } from 'vitest';
import { parseList } from './withdrawals-list.ts';

const header = 'reference,amount,wallet,time';

test('a list is read by the names of its columns, in any order, with quotes and either line end', () => {
  const text = '\uFEFFTime, Wallet,amount,reference,note\r\n2026-11-15T10:00:00Z,"So1,x",1.5,"a ""b""",any\r\n\r\n';
  expect(parseList(text)).toEqual({
    payments: [{ reference: 'a "b"', amount: 1_500_000n, wallet: 'So1,x', time: new Date('2026-11-15T10:00:00Z') }],
    problems: [],
  });
});

test('a list without one of its columns is not read', () => {
  expect(parseList('reference,amount,wallet\na,1,w')).toEqual({
    payments: [],
    problems: [{ line: 1, problem: 'columns' }],
  });
});

test.each([
  [',1,w,2026-11-15', 'reference'],
  [`${'r'.repeat(201)},1,w,2026-11-15`, 'reference'],
  ['a,1.0000001,w,2026-11-15', 'amount'],
  ['a,-1,w,2026-11-15', 'amount'],
  ['a,0,w,2026-11-15', 'amount'],
  ['a,1,,2026-11-15', 'wallet'],
  ['a,1,w,yesterday', 'time'],
  ['a,1,w,1', 'time'],
] as const)('the line %s has a wrong %s', (line, problem) => {
  expect(parseList(`${header}\n${line}`)).toEqual({ payments: [], problems: [{ line: 2, problem }] });
});

test('a reference that is listed twice is a problem of the second line', () => {
  const { payments, problems } = parseList(`${header}\na,1,w,2026-11-15\nb,1,w,2026-11-15\na,2,w,2026-11-15`);
  expect(payments).toHaveLength(2);
  expect(problems).toEqual([{ line: 4, problem: 'repeated' }]);
});
