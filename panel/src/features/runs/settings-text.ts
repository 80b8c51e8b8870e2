import { type Asset, parseAmount } from 'contract/core/money.ts';
import type { RunDetail } from 'contract/runs.ts';
import { formatAmount } from '#panel/ui/amount.tsx';

const percent = (value: string) => `${value}%`;
const asItIs = (value: string) => value;
const amountOf = (asset: Asset) => (value: string) => formatAmount(parseAmount(value, asset), asset);

/** In the order of the form. The schedule is left out, because it does not affect the amounts. */
const names: Record<string, readonly [string, (value: string) => string]> = {
  baseReward: ['Base reward', percent],
  bonusReward: ['Bonus reward', percent],
  loyaltyReward: ['Loyalty reward', percent],
  amount: ['Amount', (value) => `${amountOf('GMP')(value)} GMP`],
  percentage: ['Percentage', percent],
  period: ['Period', (value) => `${value} days`],
  reward: ['Reward', percent],
  rank: ['Rank', asItIs],
  bonusAmount: ['Bonus amount', amountOf('USD')],
};

export const formatSettings = (settings: RunDetail['settings']) =>
  Object.entries(names).flatMap(([key, [name, format]]) => {
    const value = settings[key];
    return value === undefined ? [] : [{ name, value: format(String(value)) }];
  });

const inputNames: Record<string, string> = { shares: 'All shares' };

export const formatInputs = (inputs: RunDetail['inputs']) =>
  Object.entries(inputNames).flatMap(([key, name]) => {
    const value = inputs[key];
    return value === undefined ? [] : [{ name, value: formatAmount(BigInt(value), 'SHARE') }];
  });
