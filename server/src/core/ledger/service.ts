import type { Transfer, TransferKind } from 'contract/ledger.ts';
import { writeAmount } from 'contract/core/money.ts';
import { rowsByDefault } from 'contract/core/paging.ts';
import type { Db } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { selectAdjustment } from './adjust-queries.ts';
import { selectBookedBy } from './receivables.ts';
import { selectBalances, selectPage, selectReversalOf, selectTransfer, type TransferRow } from './queries.ts';

type Params = {
  kind?: TransferKind | undefined;
  user?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
};

export async function listTransfers(db: Db, { limit, ...query }: Params) {
  const { rows, ...page } = await selectPage(db, { ...query, limit: limit ?? rowsByDefault });
  return { transfers: rows.map(shown), ...page };
}

export async function readTransfer(db: Db, reference: string) {
  const place = placeOf(reference);
  const row = place && (await selectTransfer(db, place));
  if (!row) throw new Refusal('TransferNotFound');
  const reversal = await selectReversalOf(db, row);
  const made = row.kind === 'adjustment' ? await selectAdjustment(db, row.cause) : undefined;
  return {
    transfer: shown(row),
    reversedBy: reversal ? referenceOf(reversal) : null,
    bookedBy: row.kind === 'receivable' ? await selectBookedBy(db, row.cause) : null,
    adjusted: made ? { by: made.by, reason: made.reason } : null,
  };
}

/** Returns the key of a transfer, or undefined if there is none. */
export async function readTransferKey(db: Db, reference: string) {
  const place = placeOf(reference);
  const row = place && (await selectTransfer(db, place));
  if (!row) return undefined;
  const { day, kind, cause, part, userUuid: userId } = row;
  return { day, kind, cause, part, userId, isReversal: row.reverses !== null };
}

export async function readBalances(db: Db) {
  const balances = await selectBalances(db);
  return { balances: balances.map(({ units, ...of }) => ({ ...of, amount: writeAmount(units, of.asset) })) };
}

function shown({ userUuid, username, retired, units, reverses, reversesDay, ...row }: TransferRow): Transfer {
  const { day, postedAt, kind, cause, asset, from, to } = row;
  return {
    id: referenceOf(row),
    day,
    postedAt,
    kind,
    cause,
    user: userUuid === null || username === null ? null : { id: userUuid, username, isDeleted: retired },
    asset,
    amount: writeAmount(units, asset),
    from,
    to,
    reverses: reverses === null || reversesDay === null ? null : referenceOf({ day: reversesDay, id: reverses }),
  };
}

/** Returns the human-readable id of a transfer, such as 20261115-4711. */
export const referenceOf = ({ day, id }: { day: string; id: bigint }) => `${day.replaceAll('-', '')}-${id}`;

/** Returns undefined if the reference does not start with a valid day. */
function placeOf(reference: string) {
  const {
    year,
    month,
    date,
    id = '',
  } = /^(?<year>\d{4})(?<month>\d\d)(?<date>\d\d)-(?<id>\d+)$/.exec(reference)?.groups ?? {};
  const day = `${year}-${month}-${date}`;
  return Number.isNaN(Date.parse(day)) ? undefined : { day, id: BigInt(id) };
}
