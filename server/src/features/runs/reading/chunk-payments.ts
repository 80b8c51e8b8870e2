import { writeAmount } from 'contract/core/money.ts';
import { sql } from 'kysely';
import { type Db, runQuery } from '#server/core/db/db.ts';
import { isKept } from '#server/core/ledger/lines.ts';
import { Refusal } from '#server/core/refusal.ts';
import { selectArchive } from '../store/archived.ts';
import type { Range } from '../store/ranges.ts';
import { selectRun } from '../store/run-queries.ts';

type Query = { id: string; chunk: number; after?: string | undefined; limit?: number | undefined };

const paymentsByDefault = 1_000;

/** Returns a page of what a paid chunk of a run paid or reversed, in the order of the plan. */
export async function listChunkPayments(db: Db, { id, chunk, after, limit = paymentsByDefault }: Query) {
  const run = await selectRun(db, id);
  if (!run) throw new Refusal('RunNotFound');
  const range = await selectPaidRange(db, { id, chunk });
  if (!range) throw new Refusal('ChunkNotPaid');
  if (await selectArchive(db, run.day)) throw new Refusal('PaymentsArchived');
  // One more than the page shows whether another page follows.
  const found = await selectPayments(db, { run, range, after, limit: limit + 1 });
  const payments = found.slice(0, limit);
  const last = payments.at(-1);
  const { kind, period, day, asset, reverses } = run;
  return {
    runId: id,
    kind,
    period,
    day,
    asset,
    reverses,
    payments: payments.map(({ cause: _cause, amount, setAside, ...payment }) => ({
      ...payment,
      amount: writeAmount(amount, asset),
      setAside: writeAmount(setAside, asset),
    })),
    cursor: last && found.length > limit ? `${last.userUuid}.${last.cause}` : null,
  };
}

async function selectPaidRange(db: Db, { id, chunk }: { id: string; chunk: number }) {
  const [range] = await runQuery<Range>(
    db,
    sql`select after_user as after, to_user as to from run_chunk
      where run_id = ${id}::uuid and no = ${chunk} and paid_at is not null`,
  );
  return range;
}

type PaymentRow = {
  userUuid: string;
  userId: string;
  username: string;
  cause: string;
  stakeId: string | null;
  referredUserId: string | null;
  amount: bigint;
  setAside: bigint;
};

type Page = { run: { id: string; day: string }; range: Range; after: string | undefined; limit: number };

function selectPayments(db: Db, { run: { id, day }, range, after, limit }: Page) {
  const [user, cause] = after?.split('.') ?? [];
  const beyond = user && cause ? sql`(item.user_id, item.cause_id) > (${user}::uuid, ${cause}::uuid)` : sql`true`;
  return runQuery<PaymentRow>(
    db,
    sql`
    select item.user_id as "userUuid", paid.user_id as "userId", paid.username, item.cause_id as cause,
      stake.stake_id as "stakeId", referred.user_id as "referredUserId",
      item.base + item.bonus + item.closing as amount, item.loyalty as "setAside"
    from run_line as item
    join platform_user as paid on paid.id = item.user_id
    left join stake on stake.id = item.cause_id
    left join platform_user as referred on referred.id = item.cause_id and item.cause_id <> item.user_id
    where item.run_id = ${id}::uuid and item.day = ${day}::date and item.user_id > ${range.after}::uuid
      and item.user_id <= ${range.to}::uuid and ${beyond} and item.skip is null and ${isKept('item')}
    order by item.user_id, item.cause_id limit ${limit}`,
  );
}
