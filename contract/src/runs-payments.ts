import { z } from 'zod';
import { Day, endpoint } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';
import { badCursor } from './core/paging.ts';
import { Reference, TransferKind } from './ledger.ts';
import { RunLine, RunNotFound } from './runs-lines.ts';
import { LineArchive, Run, RunDetail } from './runs.ts';

/** A payment of a run with everything that its amount was computed from. */
export type Payment = z.output<typeof Payment>;
const Payment = z.object({
  run: Run,
  line: RunLine,
  /** The settings that the run used, as they were saved. */
  settings: RunDetail.shape.settings,
  /** The inputs common to all lines, such as the pool and the total of shares. */
  inputs: RunDetail.shape.inputs,
});

/** A posted transfer that a run reverses, or would reverse if the line were not skipped. */
export type ReversedTransfer = z.output<typeof ReversedTransfer>;
const ReversedTransfer = z.object({ id: Reference, kind: TransferKind, amount: z.string() });

const ExplainedPayment = Payment.extend({
  /** Empty unless the run is a reversal. They belong to the run that it reverses and have the same day. */
  reversedTransfers: z.array(ReversedTransfer),
  /**
   * What the user had spent and owes since this reversal, or what this run settled of it when it paid them again, for
   * all their payments of the run. Null if nothing.
   */
  receivable: z.string().nullable(),
});

export const explainTransfer = endpoint({
  feature: 'runs',
  method: 'GET',
  url: '/api/runs/why/:transfer',
  access: 'platform.read',
  summary: 'Read the planned line and the run of a transfer',
  params: z.strictObject({ transfer: Reference }),
  /** Null if no run posted the transfer. Its `cause` then explains it. */
  answer: z.object({
    why: ExplainedPayment.nullable(),
    /** The file that explains it, if a run posted it and its lines are no longer in the database. */
    archive: LineArchive.nullable(),
  }),
  refusals: { 404: { TransferNotFound: 'There is no such transfer.' } },
});

export const explainPayment = endpoint({
  feature: 'runs',
  method: 'GET',
  url: '/api/runs/:id/lines/:user/:cause',
  access: 'platform.read',
  summary: 'Read one payment of a run’s plan and, for a reversal, the transfers that it reverses',
  params: z.strictObject({ id: z.uuid(), user: z.uuid(), cause: z.uuid() }),
  answer: z.object({ why: ExplainedPayment }),
  refusals: { 404: { RunNotFound, PaymentNotFound: 'There is no such payment.' } },
});

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

export const listUserPayments = endpoint({
  feature: 'runs',
  method: 'GET',
  url: '/api/runs/payments',
  access: 'platform.read',
  summary: 'List what every run planned, paid, skipped or reversed for one user, newest first',
  querystring: z.strictObject({
    user: z.uuid(),
    before: z
      .string()
      .regex(new RegExp(`^${uuid}(?:\\.${uuid})?$`), rule('must be a place that an earlier page answered'))
      .optional(),
  }),
  answer: z.object({
    payments: z.array(Payment),
    /** Pass it as `before` to get the next older payments. A page can have few payments, or none, and still have it. */
    olderThan: z.string().nullable(),
    /** Payments for days before this one are archived and not listed. Null if nothing is archived. */
    archivedBefore: Day.nullable(),
  }),
  refusals: { 422: badCursor },
});
