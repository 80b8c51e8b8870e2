import type { PlatformEvent } from 'contract/integrations-events.ts';
import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';

type StoredEvent = { type: string; subjectId: string; data: string };

export async function insertEvent(tx: Tx, { type, subjectId, data }: StoredEvent) {
  await sql`insert into platform_event (type, subject_id, data) values (${type}, ${subjectId}, ${data}::jsonb)`.execute(
    tx,
  );
}

/** The columns of an event as the contract has them; the alias of the table is `event`. */
export const eventColumns = sql`event.id, event.seq, event.type, event.subject_id as "subjectId",
  event.at as timestamp, event.data`;

/** Returns committed events after that number, in order. The numbers have gaps where transactions were rolled back. */
export const selectEvents = (db: Db, { after, limit }: { after: bigint; limit: number }) =>
  runQuery<PlatformEvent>(
    db,
    sql`select ${eventColumns} from platform_event as event
      where seq > ${after} order by seq limit ${limit}`,
  );

/** The numbers of the oldest and the newest event that are kept. */
export async function selectBounds(db: Db) {
  const [bounds] = await runQuery<{ oldest: bigint | null; newest: bigint | null }>(
    db,
    sql`select min(seq) as oldest, max(seq) as newest from platform_event`,
  );
  return bounds ?? { oldest: null, newest: null };
}

/** Returns the number of the first event from that number or time on, or undefined if there is none. */
export async function selectFirstSeq(db: Db, from: { seq: bigint } | { time: Date }) {
  const condition = 'seq' in from ? sql`seq >= ${from.seq}` : sql`at >= ${from.time}`;
  const [first] = await runQuery<{ seq: bigint | null }>(
    db,
    sql`select min(seq) as seq from platform_event where seq is not null and ${condition}`,
  );
  return first?.seq ?? undefined;
}

/** Deletes some of the events that are older than that, and returns how many. */
export async function deleteOldEvents(tx: Tx, { olderThanDays, limit }: { olderThanDays: number; limit: number }) {
  const { numAffectedRows } = await sql`
    delete from platform_event where id in (
      select id from platform_event where at < now() - make_interval(days => ${olderThanDays}) order by at limit ${limit}
    )`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}
