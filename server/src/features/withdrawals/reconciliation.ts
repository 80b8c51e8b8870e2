import { createHash } from 'node:crypto';
import { writeAmount } from 'contract/core/money.ts';
import { rowsByDefault } from 'contract/core/paging.ts';
import { parseList } from 'contract/withdrawals-list.ts';
import { isPeriod } from 'contract/withdrawals-reconciliation.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { brokenConstraint, type Db, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import {
  insertDifferences,
  insertReconciliation,
  lockDifference,
  selectComparison,
  selectDifferences,
  selectReconciliation,
  selectReconciliations,
  updateClosed,
} from './reconciliation-queries.ts';

type Params = { actor: Actor; list: string; from: string; to: string };

/** Compares a list of sent transfers with the withdrawals of a period. Each difference is stored until it is closed. */
export async function reconcile(tx: Tx, { actor, list, from, to }: Params) {
  const { payments, problems } = parseList(list);
  if (problems.length > 0 || payments.length === 0) throw new Refusal('ListInvalid');
  if (!isPeriod({ from, to })) throw new Refusal('PeriodInvalid');
  const compared = await selectComparison(tx, payments, { from, to });
  const differences = compared.flatMap(({ kind, ...it }) => (kind === 'matched' ? [] : [{ ...it, kind }]));
  const digest = createHash('sha256').update(list).digest('hex');
  const [listed, matched] = [payments.length, compared.length - differences.length];
  const row = { madeBy: actor.id, fromDay: from, toDay: to, digest, listed, matched };
  const id = await insertReconciliation(tx, row).catch((error: unknown) => {
    throw brokenConstraint(error) === 'reconciliation_of_list' ? new Refusal('ListKnown') : error;
  });
  await insertDifferences(tx, id, differences);
  await announce(tx, { feature: 'withdrawals', id: 'reconciliation' });
  const details = { from, to, digest, listed, matched, differences: differences.length };
  await recordAudit(tx, { actorId: actor.id, action: 'withdrawals.reconcile', subjectId: id, details });
  const reconciliation = await selectReconciliation(tx, id);
  if (!reconciliation) throw new Error(`The reconciliation ${id} is gone from the transaction that made it.`);
  return { reconciliation };
}

type PageParams = { cursor?: string | undefined; limit?: number | undefined };

export async function listReconciliations(db: Db, { cursor, limit }: PageParams) {
  const { rows, ...page } = await selectReconciliations(db, { cursor, limit: limit ?? rowsByDefault });
  return { reconciliations: rows, ...page };
}

type DifferenceParams = PageParams & { only?: 'open' | undefined; reconciliation?: string | undefined };

export const listDifferences = (db: Db, { cursor, limit, ...narrowing }: DifferenceParams) =>
  selectDifferences(db, { ...narrowing, cursor, limit: limit ?? rowsByDefault });

/** Closes a difference with the note of the administrator who clarified it. It stays listed with the comparison. */
export async function closeDifference(tx: Tx, { actor, id, note }: { actor: Actor; id: string; note: string }) {
  const before = await lockDifference(tx, id);
  if (!before) throw new Refusal('DifferenceNotFound');
  if (before.closedAt) throw new Refusal('DifferenceClosed');
  await updateClosed(tx, id, { closedBy: actor.id, note });
  await announce(tx, { feature: 'withdrawals', id: 'reconciliation' });
  const { kind, reference, listedAmount, withdrawal } = before;
  const amount = listedAmount === null ? {} : { listed: writeAmount(listedAmount, 'USD') };
  const details = { kind, reference, ...amount, withdrawal: withdrawal?.id ?? null, note };
  await recordAudit(tx, { actorId: actor.id, action: 'withdrawals.close-difference', subjectId: id, details });
  const difference = await lockDifference(tx, id);
  if (!difference) throw new Error(`The difference ${id} is gone from the transaction that closed it.`);
  return { difference };
}
