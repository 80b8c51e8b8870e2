import { z } from 'zod';
import { endpoint } from './core/endpoint.ts';
import { amount } from './core/money.ts';

const Sum = z.object({ count: z.int(), amount: amount('USD') });

export const readWithdrawalFigures = endpoint({
  feature: 'withdrawals',
  method: 'GET',
  url: '/api/withdrawals/figures',
  access: 'platform.read',
  summary: 'How many withdrawals there are of each status, and their sums',
  answer: z.object({ total: Sum, completed: Sum, pending: Sum, failed: Sum }),
  refusals: {},
});
