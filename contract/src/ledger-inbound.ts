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

const { IdReused, UserUnknown, UserDeleted, AmountInvalid, TimeInvalid } = itemRefusals;

export const depositItemRefusals = { IdReused, UserUnknown, UserDeleted, AmountInvalid, TimeInvalid } as const;

export type DepositItem = z.output<typeof DepositItem>;
const DepositItem = z.strictObject({
  id: PlatformId,
  user: ShownId,
  /** Users have no account in SOL: a deposit of SOL is sent as the dollars that it was worth. */
  asset: Asset.exclude(['SOL']),
  amount: WrittenAmount,
  at: Timestamp,
});

export const storeDeposits = endpoint({
  feature: 'ledger',
  method: 'POST',
  url: '/api/platform/deposits',
  access: 'deposits:write',
  summary: 'Add what users paid in',
  body: itemsOf(DepositItem),
  bodyBytes: inboundBytes,
  answer: resultsOf(depositItemRefusals),
  refusals: inboundRefusals,
});
