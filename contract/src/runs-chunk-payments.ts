import { z } from 'zod';
import { Day, endpoint } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';
import { Asset } from './core/money.ts';
import { RunKind } from './run-kinds.ts';
import { RunNotFound } from './runs-lines.ts';

/** What one user received from a run or, in a reversal, what was reversed. */
const ChunkPayment = z.object({
  userUuid: z.uuid(),
  userId: z.string().describe("The platform's own ID of the user."),
  username: z.string(),
  stakeId: z.string().nullable().describe('The stake that earned it. Null if no stake did.'),
  referredUserId: z.string().nullable().describe('The referred user who earned it. Null if none did.'),
  amount: z.string().describe('What the user received, or what a reversal reversed.'),
  setAside: z.string().describe('What was set aside for the user until the stake ends.'),
});

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const numberOnWire = (largest: string, digits: number) =>
  z.string().regex(new RegExp(`^\\d{1,${digits}}$`), rule(`must be a whole number up to ${largest}`));
const whole = { decode: Number, encode: String };

export const listChunkPayments = endpoint({
  feature: 'runs',
  method: 'GET',
  url: '/api/platform/runs/:id/chunks/:chunk/payments',
  access: 'events:read',
  summary: 'List the payments that an event `payment.made` or `payment.reversed` describes',
  params: z.strictObject({
    id: z.uuid().describe('The `runId` of the event.'),
    chunk: z.codec(numberOnWire('999,999', 6), z.int(), whole).describe('The `chunk` of the event.'),
  }),
  querystring: z.strictObject({
    after: z
      .string()
      .regex(new RegExp(`^${uuid}\\.${uuid}$`), rule('must be the cursor of an earlier page'))
      .optional()
      .describe('The `cursor` of the response before; without it, from the first payment.'),
    limit: z
      .codec(numberOnWire('1,000', 4), z.int().min(1).max(1_000), whole)
      .optional()
      .describe('How many payments to return: 1 to 1,000.'),
  }),
  answer: z.object({
    runId: z.uuid(),
    kind: RunKind,
    period: z.string(),
    day: Day,
    asset: Asset,
    reverses: z.uuid().nullable().describe('The run that this one reverses. Null if the users received the amounts.'),
    payments: z.array(ChunkPayment),
    cursor: z.string().nullable().describe('Pass it as `after` to continue. Null after the last payment.'),
  }),
  refusals: {
    404: { RunNotFound, ChunkNotPaid: 'This part of the run does not exist or is not paid.' },
    409: { PaymentsArchived: 'The payments of this run are archived.' },
  },
  example: {
    params: { id: '019aa0d4-7c11-7e52-8f04-5b1a9c3de2f7', chunk: '1' },
    querystring: { limit: '1000' },
    answer: {
      runId: '019aa0d4-7c11-7e52-8f04-5b1a9c3de2f7',
      kind: RunKind.options[0],
      period: '2026-03-01',
      day: '2026-03-01',
      asset: 'USD',
      reverses: null,
      payments: [
        {
          userUuid: '019aa0b2-3c55-7a0e-b6a4-51f4a3d0c9e2',
          userId: 'U10000001',
          username: 'marina',
          stakeId: 'stake-301',
          referredUserId: null,
          amount: '0.30',
          setAside: '0.18',
        },
      ],
      cursor: null,
    },
  },
});
