import { rowsByDefault } from 'contract/core/paging.ts';
import type { WithdrawalStatus } from 'contract/withdrawal-states.ts';
import type { WithdrawalSort } from 'contract/withdrawals.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import type { ListParams } from '#server/core/db/user-owned-list.ts';
import { announce } from '#server/core/events/events.ts';
import { recordEvent } from '#server/core/outbox/outbox.ts';
import { Refusal } from '#server/core/refusal.ts';
import {
  lockSwitch,
  type Narrowing,
  selectFigures,
  selectPage,
  selectSwitch,
  selectWithdrawal,
  updateSwitch,
} from './queries.ts';

export async function listWithdrawals(
  db: Db,
  { sort, limit, cursor, ...narrowing }: ListParams<WithdrawalStatus, WithdrawalSort> & Narrowing,
) {
  const query = { ...narrowing, sort: sort ?? '-date', cursor, limit: limit ?? rowsByDefault };
  const { rows, ...page } = await selectPage(db, query);
  return { withdrawals: rows, ...page };
}

export async function readWithdrawal(db: Db, id: string) {
  const withdrawal = await selectWithdrawal(db, id);
  if (!withdrawal) throw new Refusal('WithdrawalNotFound');
  return { withdrawal };
}

export async function readWithdrawalFigures(db: Db) {
  const figures = await selectFigures(db);
  const sumOf = (...statuses: WithdrawalStatus[]) => {
    const counted = figures.filter(({ status }) => statuses.includes(status));
    return {
      count: counted.reduce((sum, { count }) => sum + count, 0),
      amount: counted.reduce((sum, { amount }) => sum + amount, 0n),
    };
  };
  return {
    total: sumOf('Completed', 'Pending', 'Failed'),
    completed: sumOf('Completed'),
    pending: sumOf('Pending'),
    failed: sumOf('Failed'),
  };
}

export async function readWithdrawalSwitch(db: Db) {
  return { switch: await selectSwitch(db) };
}

/**
 * Enables or disables withdrawals. Repeating the current state changes nothing, so the administrator who set it stays
 * recorded.
 */
export async function setWithdrawalSwitch(tx: Tx, { actor, enabled }: { actor: Actor; enabled: boolean }) {
  const before = await lockSwitch(tx);
  if (before.enabled === enabled) return readWithdrawalSwitch(tx);

  await updateSwitch(tx, { enabled, changedBy: actor.id });
  const after = await readWithdrawalSwitch(tx);
  await announce(tx, { feature: 'withdrawals', id: 'switch' });
  await recordEvent(tx, { type: 'withdrawals.switched', subjectId: 'withdrawals', data: { enabled } });
  const details = { before: { enabled: before.enabled }, after: { enabled } };
  await recordAudit(tx, { actorId: actor.id, action: 'withdrawals.set-switch', subjectId: 'platform', details });
  return after;
}
