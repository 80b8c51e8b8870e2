import { writeAmount } from 'contract/core/money.ts';
import type { Db } from '#server/core/db/db.ts';
import { selectBookedFor } from '#server/core/ledger/receivables.ts';
import { readTransferKey, referenceOf } from '#server/core/ledger/service.ts';
import { Refusal } from '#server/core/refusal.ts';
import { selectArchive } from '../store/archived.ts';
import { type RunRow, selectRun } from '../store/run-queries.ts';
import { shown } from '../store/wire.ts';
import { basisOf, lineOf } from './detail.ts';
import { isPostedByRun, type LineRow, selectLineOf } from './line-queries.ts';
import { selectPayment, selectReversedTransfers } from './payment-queries.ts';

export const paymentOf = (run: RunRow, line: LineRow) => ({
  run: shown(run),
  line: lineOf(run, line),
  ...basisOf(run),
});

async function explain(db: Db, run: RunRow, line: LineRow) {
  const { reverses, kind, asset } = run;
  const reversed = reverses === null ? [] : await selectReversedTransfers(db, { reverses, kind, ...line });
  const reversedTransfers = reversed.map(({ units, ...it }) => ({
    id: referenceOf(it),
    kind: it.kind,
    amount: writeAmount(units, asset),
  }));
  const booked = await selectBookedFor(db, { runId: run.id, userId: line.userUuid });
  const receivable = booked === null ? null : writeAmount(booked, asset);
  return { why: { ...paymentOf(run, line), reversedTransfers, receivable } };
}

/** Returns the run and the line that posted a transfer, or null if no run did. Refuses an unknown transfer. */
export async function explainTransfer(db: Db, reference: string) {
  const transfer = await readTransferKey(db, reference);
  if (!transfer) throw new Refusal('TransferNotFound');
  const line = await selectLineOf(db, transfer);
  const run = line && (await selectRun(db, line.runId));
  if (run) return { ...(await explain(db, run, line)), archive: null };
  return { why: null, archive: isPostedByRun(transfer.kind) ? await selectArchive(db, transfer.day) : null };
}

/** Returns one line of a run. Refuses an unknown run, and a user or cause that the run did not consider. */
export async function explainPayment(db: Db, { id, ...payment }: { id: string; user: string; cause: string }) {
  const run = await selectRun(db, id);
  if (!run) throw new Refusal('RunNotFound');
  const line = await selectPayment(db, { run, ...payment });
  if (!line) throw new Refusal('PaymentNotFound');
  return explain(db, run, line);
}
