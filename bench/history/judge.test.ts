import { expect, test } from 'vitest';
import { judge } from './judge.ts';

const ratio = (value: number) => ({ value, aim: 0.85, better: 'higher' }) as const;
const growth = (value: number) => ({ value, aim: 1.2, better: 'lower' }) as const;

test('a value without enough history is recorded and not judged', () => {
  expect(judge(ratio(0.1), [0.9, 0.9])).toMatchObject({ verdict: 'unjudged', runs: 2, reachesAim: false });
});

test('a value that misses its aim within the spread of its history is usual', () => {
  expect(judge(ratio(0.82), [0.83, 0.94, 1.05])).toMatchObject({ verdict: 'usual', reachesAim: false });
});

test('a ratio regresses when it is below the lowest of its history by more than half of the spread', () => {
  const history = [0.8, 1, 1.2];
  expect(judge(ratio(0.61), history).verdict).toBe('usual');
  expect(judge(ratio(0.59), history).verdict).toBe('regressed');
});

test('a growth factor regresses when it rises', () => {
  const history = [1, 1.2, 1.1];
  expect(judge(growth(1.31), history).verdict).toBe('usual');
  expect(judge(growth(1.33), history).verdict).toBe('regressed');
});

test('the margin is at least a tenth when the history hardly varies', () => {
  const history = [1, 1, 1];
  expect(judge(ratio(0.91), history).verdict).toBe('usual');
  expect(judge(ratio(0.89), history).verdict).toBe('regressed');
});

test('only the newest twenty runs count', () => {
  const history = [...Array.from({ length: 10 }, () => 0.2), ...Array.from({ length: 20 }, () => 0.9)];
  expect(judge(ratio(0.5), history)).toMatchObject({ verdict: 'regressed', runs: 20, lowest: 0.9 });
});
