import type { RunDetail } from 'contract/runs.ts';

const percent = (value: string) => `${value} %`;
const asItIs = (value: string) => value;

/** In the order in which the form has them. When it is due is no rule of what it pays. */
const names: Record<string, readonly [string, (value: string) => string]> = {
  baseReward: ['Base reward', percent],
  bonusReward: ['Bonus reward', percent],
  loyaltyReward: ['Loyalty reward', percent],
  amount: ['Amount', (value) => `${value} GMP`],
  percentage: ['Percentage', percent],
  period: ['Period', (value) => `${value} days`],
  reward: ['Reward', percent],
  rank: ['Rank', asItIs],
  bonusAmount: ['Bonus amount', (value) => `${value} USD`],
};

export const saySettings = (settings: RunDetail['settings']) =>
  Object.entries(names).flatMap(([key, [name, say]]) => {
    const value = settings[key];
    return value === undefined ? [] : [{ name, value: say(String(value)) }];
  });

const inputNames: Record<string, string> = { shares: 'All shares' };

export const sayInputs = (inputs: RunDetail['inputs']) =>
  Object.entries(inputNames).flatMap(([key, name]) => {
    const value = inputs[key];
    return value === undefined ? [] : [{ name, value }];
  });
