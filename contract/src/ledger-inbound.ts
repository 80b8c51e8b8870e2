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

const { IdReused, UserUnknown, UserDeleted, AmountInvalid, TimeInvalid } = itemRefusals;

export const depositItemRefusals = { IdReused, UserUnknown, UserDeleted, AmountInvalid, TimeInvalid } as const;

export type DepositItem = z.output<typeof DepositItem>;
const DepositItem = z.strictObject({
  id: PlatformId,
  user: OwnerId,
  asset: Asset.exclude(['SOL']).describe(
    'Users have no account in SOL: a deposit of SOL is sent as the dollars that it was worth.',
  ),
  amount: WrittenAmount,
  at: HappenedAt,
});

export const storeDeposits = endpoint({
  feature: 'ledger',
  method: 'POST',
  url: '/api/platform/deposits',
  access: 'deposits:write',
  summary: 'Add what users paid in',
  body: itemsOf(DepositItem),
  bodyLimits: inboundLimits,
  answer: resultsOf(depositItemRefusals),
  refusals: inboundRefusals,
  example: {
    body: {
      items: [
        { id: 'deposit-7001', user: 'U10000001', asset: 'USD', amount: '100', at: '2026-03-01T09:45:00Z' },
        { id: 'deposit-7002', user: 'U10000009', asset: 'USD', amount: '12.5', at: '2026-03-01T09:46:00Z' },
      ],
    },
    answer: {
      results: [
        { id: 'deposit-7001', outcome: 'stored' },
        { id: 'deposit-7002', outcome: 'refused', code: 'UserUnknown', reason: UserUnknown },
      ],
    },
  },
});
