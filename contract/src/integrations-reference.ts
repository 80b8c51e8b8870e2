import { endpoint, file } from './core/endpoint.ts';
import { listEvents } from './integrations-events.ts';
import { readOwnKey } from './integrations-keys.ts';
import { storeDeposits } from './ledger-inbound.ts';
import { storeActivity } from './reports-inbound.ts';
import { listChunkPayments } from './runs-chunk-payments.ts';
import { endStakesEarly, placeStakes } from './staking-inbound.ts';
import { storeSubmissions } from './tasks-inbound.ts';
import { storeMessages, storeTickets } from './tickets-inbound.ts';
import { storeUsers } from './users-inbound.ts';
import { storeWithdrawals } from './withdrawals-inbound.ts';
import { reportOutcome } from './withdrawals-settlement.ts';

/** The calls of API keys under their names, in the order in which the reference shows them. */
export const platformCalls = {
  readOwnKey,
  storeUsers,
  storeDeposits,
  placeStakes,
  endStakesEarly,
  storeWithdrawals,
  reportOutcome,
  storeTickets,
  storeMessages,
  storeSubmissions,
  storeActivity,
  listEvents,
  listChunkPayments,
};

export const readReference = endpoint({
  feature: 'integrations',
  method: 'GET',
  url: '/api/platform/openapi.json',
  access: 'anyone',
  summary: 'Read the description of all calls of API keys, as OpenAPI 3.1',
  answer: file('application/json'),
  refusals: {},
});
