import type { TransferKind } from 'contract/ledger.ts';
import type { RunKind } from 'contract/run-kinds.ts';
import { sql } from 'kysely';
import { type Db, runQuery } from '#server/core/db/db.ts';
import { isPostedBy } from '#server/core/ledger/lines.ts';
import { kinds } from '../kinds/kinds.ts';
import { lineFields, lineJoins, type LineRow } from './line-queries.ts';

type PaymentKey = { run: { id: string; day: string }; user: string; cause: string };

export async function selectPayment(db: Db, { run: { id, day }, user, cause }: PaymentKey) {
  const [line] = await runQuery<LineRow>(
    db,
    sql`
    select ${lineFields} from run_line as item ${lineJoins}
    where item.run_id = ${id}::uuid and item.day = ${day}::date and item.user_id = ${user}::uuid
      and item.cause_id = ${cause}::uuid`,
  );
  return line;
}

type ReversalLine = { reverses: string; kind: RunKind } & Pick<LineRow, 'userUuid' | 'cause' | 'part'>;

/**
 * Returns the transfers of the run `reverses` for the cause of a reversal's line, whether they are reversed by now or
 * not. A reversal has the part of the payment that it reverses. A transfer with its own part belongs to the run if it
 * was posted while the run was paid.
 */
export function selectReversedTransfers(db: Db, { reverses, kind, userUuid, cause, part }: ReversalLine) {
  const moves = kinds[kind].moves.map(
    (move) =>
      sql`(${sql.lit(move.kind)}::transfer_kind, ${sql.lit(move.debit)}::ledger_account,
        ${sql.lit(move.part === undefined)}::boolean)`,
  );
  return runQuery<{ day: string; id: bigint; kind: TransferKind; units: bigint }>(
    db,
    sql`
    select it.day::text as day, it.id, it.kind, it.units
    from run as paid_by
    -- The offset keeps the lookup by day and cause: the planner has no statistics on a day that was just paid.
    cross join lateral (
      select * from transfer as posted
      where posted.day = paid_by.day and posted.cause_id = ${cause}::uuid and posted.reverses is null offset 0
    ) as it
    join (values ${sql.join(moves)}) as move (kind, debit, by_part) on move.kind = it.kind and move.debit = it.debit
    -- The line of a reversal that is skipped locks nothing again, so the line that was paid says what was returned.
    join run_line as returned on returned.run_id = paid_by.id and returned.day = paid_by.day
      and returned.user_id = ${userUuid}::uuid and returned.cause_id = it.cause_id
    where paid_by.id = ${reverses}::uuid and case
      when move.by_part then it.part = ${part}
      else returned.completes and ${isPostedBy(reverses)}
    end
    order by it.kind`,
  );
}
