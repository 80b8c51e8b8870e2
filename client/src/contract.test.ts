import type { eventData, listEvents } from 'contract/integrations-events.ts';
import { storeDeposits } from 'contract/ledger-inbound.ts';
import { storeActivity } from 'contract/reports-inbound.ts';
import type { listChunkPayments } from 'contract/runs-chunk-payments.ts';
import { endStakesEarly, placeStakes } from 'contract/staking-inbound.ts';
import { storeSubmissions } from 'contract/tasks-inbound.ts';
import { storeMessages, storeTickets } from 'contract/tickets-inbound.ts';
import { storeUsers } from 'contract/users-inbound.ts';
import { storeWithdrawals } from 'contract/withdrawals-inbound.ts';
import { reportOutcome } from 'contract/withdrawals-settlement.ts';
import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { createClient, EventPage, PaymentPage, WithdrawalReported } from './client.ts';
import type { EventData } from './events.ts';
import type { Outcome, Result } from './items.ts';

/** The names of the endpoints that take items, by method of the client. */
const endpoints = {
  addUsers: storeUsers,
  addDeposits: storeDeposits,
  placeStakes,
  endStakes: endStakesEarly,
  requestWithdrawals: storeWithdrawals,
  openTickets: storeTickets,
  addTicketMessages: storeMessages,
  submitTasks: storeSubmissions,
  recordActivity: storeActivity,
};

type Client = ReturnType<typeof createClient>;
type Endpoints = typeof endpoints;
type ItemOf<Name extends keyof Endpoints> = z.input<Endpoints[Name]['body']>['items'][number];
type ResultOf<Name extends keyof Endpoints> = z.input<Endpoints[Name]['answer']>['results'][number];

/** The items and results of a method of the client, beside those of the contract. */
type Sent<Name extends keyof Endpoints> = Parameters<Client[Name]>[0][number];
type Returned<Name extends keyof Endpoints> = Awaited<ReturnType<Client[Name]>>[number];

test('the items and results of the client are those of the contract', () => {
  expectTypeOf<{ [Name in keyof Endpoints]: Sent<Name> }>().toEqualTypeOf<{
    [Name in keyof Endpoints]: ItemOf<Name>;
  }>();
  expectTypeOf<{ [Name in keyof Endpoints]: CodeOf<Returned<Name>> }>().toEqualTypeOf<{
    [Name in keyof Endpoints]: CodeOf<ResultOf<Name>>;
  }>();
  expectTypeOf<ResultOf<'addUsers'>>().toExtend<Result<string>>();
  expect(Object.values(endpoints).every(({ url }) => url.startsWith('/api/platform/'))).toBe(true);
});

type CodeOf<R> = R extends { code: infer Code } ? Code : never;

test('reports, events and payments are those of the contract', () => {
  expectTypeOf<z.input<typeof reportOutcome.body>>().toEqualTypeOf<Outcome>();
  expectTypeOf<z.input<typeof reportOutcome.answer>>().toEqualTypeOf<WithdrawalReported>();
  expectTypeOf<z.input<typeof listEvents.answer>>().toExtend<EventPage>();
  expectTypeOf<Flat<PaymentPage>>().toEqualTypeOf<z.input<typeof listChunkPayments.answer>>();
  expectTypeOf<{ [Type in keyof EventData]: Flat<EventData[Type]> }>().toEqualTypeOf<{
    [Type in keyof typeof eventData]: Flat<z.input<(typeof eventData)[Type]>>;
  }>();
  expect(reportOutcome.url).toBe('/api/platform/withdrawals/:id/outcome');
});

/** The same type without intersections, which would differ from an object with the same properties. */
type Flat<Data> = { [Key in keyof Data]: Data[Key] };
