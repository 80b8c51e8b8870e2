import { sql } from 'kysely';
import { type Db, runQuery } from '#server/core/db/db.ts';
import { lineFields, lineJoins, type LineRow, noCause } from './line-queries.ts';

/** The last payment of a page, or the last run that it looked at if `cause` is undefined. */
export type Place = { runId: string; cause: string | undefined };

const paymentsAtMost = 25;

/**
 * A page looks at no more runs than this: about a year of daily and weekly runs. A user whom no run considered costs one
 * index lookup for each of them.
 */
const runsAtMost = 1_000;

/** The runs from a place on, newest first. The lines of an incomplete plan have no inputs yet and may be replaced. */
const runsFrom = (place: Place | undefined) => sql`(
  select run.id, run.day, run.created_at from run
  where run.plan_hash is not null ${
    place === undefined
      ? sql``
      : sql`and (run.created_at, run.id) <= (select last.created_at, last.id from run as last where last.id = ${place.runId}::uuid)`
  }
  order by run.created_at desc, run.id desc limit ${sql.lit(runsAtMost)}
)`;

const last = sql`'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`;

/** The cause after which the lines of a run are read. Only the run of the place was read before. */
const causeAfter = (place: Place | undefined) =>
  place === undefined
    ? noCause
    : sql`case considered.id when ${place.runId}::uuid
        then ${place.cause === undefined ? last : sql`${place.cause}::uuid`} else ${noCause} end`;

type Query = { user: string; place: Place | undefined };

/**
 * Selects the lines of a user over all runs, and one more than fits on a page. Each run is one index lookup, and the
 * scan of the runs stops when the page is full, so the cost depends neither on the number of lines of a run nor on the
 * number of runs.
 */
export function linesOfUser({ user, place }: Query) {
  const rows = sql.lit(paymentsAtMost + 1);
  return sql<LineRow & { runId: string }>`
    select item.run_id as "runId", ${lineFields}
    from (
      select line.*, considered.created_at
      from ${runsFrom(place)} as considered
      cross join lateral (
        select * from run_line as line
        where line.run_id = considered.id and line.day = considered.day and line.user_id = ${user}::uuid
          -- As in isOfUsers.
          and (line.user_id, line.cause_id) > (${user}::uuid, ${causeAfter(place)})
        order by line.cause_id limit ${rows}
      ) as line
      order by considered.created_at desc, considered.id desc, line.cause_id limit ${rows}
    ) as item
    ${lineJoins}
    order by item.created_at desc, item.run_id desc, item.cause_id`;
}

/** Returns a page of the lines of a user, and where the next one starts. */
export async function selectUserPayments(db: Db, query: Query) {
  const found = await runQuery<LineRow & { runId: string }>(db, linesOfUser(query));
  const page = found.slice(0, paymentsAtMost);
  if (found.length > paymentsAtMost) return { rows: page, last: placeOf(page.at(-1)) };
  return { rows: page, last: await selectLastRun(db, query.place) };
}

const placeOf = (row: { runId: string; cause: string } | undefined): Place | null =>
  row ? { runId: row.runId, cause: row.cause } : null;

/** Returns the last run that a page looked at, or null if there is none after it. */
async function selectLastRun(db: Db, place: Place | undefined): Promise<Place | null> {
  const [considered] = await runQuery<{ runId: string }>(
    db,
    sql`select considered.id as "runId" from ${runsFrom(place)} as considered
      order by considered.created_at desc, considered.id desc offset ${sql.lit(runsAtMost - 1)}`,
  );
  return considered ? { runId: considered.runId, cause: undefined } : null;
}
