import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import {
  inboundBytes,
  inboundRefusals,
  itemRefusals,
  itemsOf,
  PlatformId,
  resultsOf,
  ShownId,
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
  user: ShownId,
  asset: Asset,
  amount: WrittenAmount,
  /** Where it is to be paid. */
  wallet: z.string().max(200),
  at: Timestamp,
});

export const storeWithdrawals = endpoint({
  feature: 'withdrawals',
  method: 'POST',
  url: '/api/platform/withdrawals',
  access: 'withdrawals:write',
  summary: 'Add withdrawals that users request; their money is put on hold',
  body: itemsOf(WithdrawalItem),
  bodyBytes: inboundBytes,
  answer: resultsOf(withdrawalItemRefusals),
  refusals: {
    409: { WithdrawalsDisabled: 'Withdrawals are switched off. Nothing of this call was stored.' },
    ...inboundRefusals,
  },
});
