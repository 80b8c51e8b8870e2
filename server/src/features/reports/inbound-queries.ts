import type { ActivityItem } from 'contract/reports-inbound.ts';
import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import { rowsAsJson } from '#server/core/db/rows.ts';

export type ActivityEvent = { id: string; userId: string; kind: ActivityItem['type']; at: Date };

export const selectEvents = (db: Db, ids: readonly string[]) =>
  runQuery<ActivityEvent>(
    db,
    sql`select id, user_id as "userId", kind, at from activity_event where id = any(${ids}::uuid[])`,
  );

const eventsIn = (events: readonly ActivityEvent[]) => sql`
  json_to_recordset(${rowsAsJson(events)}) as item (id uuid, "userId" uuid, kind activity_kind, at timestamptz)`;

/** Stores events and counts them by hour. Sorted, so that two transactions never wait for each other. */
export async function insertEvents(tx: Tx, events: readonly ActivityEvent[]) {
  await sql`
    insert into activity_event (day, id, user_id, kind, at)
    select (at at time zone 'UTC')::date, id, "userId", kind, at from ${eventsIn(events)} order by id`.execute(tx);
  await sql`
    insert into activity_hour as counted (hour, kind, count)
    select date_trunc('hour', at, 'UTC'), kind, count(*) from ${eventsIn(events)} group by 1, 2 order by 1, 2
    on conflict (hour, kind) do update set count = counted.count + excluded.count`.execute(tx);
}

/** Creates the partitions of the days to come, and drops those of days whose events are refused. */
export async function prepareActivityDays(tx: Tx) {
  await sql`select prepare_activity_days()`.execute(tx);
}
