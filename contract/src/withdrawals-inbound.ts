import { z } from 'zod';
import { endpoint } from './core/endpoint.ts';
import {
  HappenedAt,
  inboundLimits,
  inboundRefusals,
  itemRefusals,
  itemsOf,
  OwnerId,
  PlatformId,
  resultsOf,
  WrittenAmount,
} from './core/inbound.ts';
import { Asset } from './core/money.ts';

const { IdReused, UserUnknown, UserDeleted, AmountInvalid, TimeInvalid, BalanceTooLow, WalletInvalid } = itemRefusals;

export const withdrawalItemRefusals = {
  IdReused,
  UserUnknown,
  UserDeleted,
  AmountInvalid,
  TimeInvalid,
  BalanceTooLow,
  WalletInvalid,
  AssetNotPayable: 'Only USD can be withdrawn.',
} as const;

export type WithdrawalItem = z.output<typeof WithdrawalItem>;
const WithdrawalItem = z.strictObject({
  id: PlatformId,
  user: OwnerId,
  asset: Asset.describe('Only `USD` can be withdrawn.'),
  amount: WrittenAmount,
  wallet: z.string().max(200).describe('The address of the wallet to which it is to be paid.'),
  at: HappenedAt,
});

export const storeWithdrawals = endpoint({
  feature: 'withdrawals',
  method: 'POST',
  url: '/api/platform/withdrawals',
  access: 'withdrawals:write',
  summary: 'Add withdrawals that users request; their money is put on hold',
  body: itemsOf(WithdrawalItem),
  bodyLimits: inboundLimits,
  answer: resultsOf(withdrawalItemRefusals),
  refusals: {
    409: { WithdrawalsDisabled: 'Withdrawals are disabled. None of these items was stored.' },
    ...inboundRefusals,
  },
  example: {
    body: {
      items: [
        {
          id: 'withdrawal-87',
          user: 'U10000001',
          asset: 'USD',
          amount: '25',
          wallet: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
          at: '2026-03-01T10:05:00Z',
        },
        {
          id: 'withdrawal-88',
          user: 'U10000001',
          asset: 'USD',
          amount: '50',
          wallet: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
          at: '2026-03-01T10:06:00Z',
        },
      ],
    },
    answer: {
      results: [
        { id: 'withdrawal-87', outcome: 'stored' },
        { id: 'withdrawal-88', outcome: 'refused', code: 'BalanceTooLow', reason: BalanceTooLow },
      ],
    },
  },
});
