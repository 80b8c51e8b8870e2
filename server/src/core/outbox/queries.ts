import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import { isGenuine, type SealedEvent, sealOfEvent } from './seal.ts';

/** The id is known before the event is written, because its seal covers the id. */
export async function newEventId(tx: Tx) {
  const [made] = await runQuery<{ id: string }>(tx, sql`select uuid_v7() as id`);
  if (!made) throw new Error('PostgreSQL returned no id.');
  return made.id;
}

type NewEvent = { id: string; type: string; subjectId: string; data: string; seal: Buffer };

export async function insertEvent(tx: Tx, { id, type, subjectId, data, seal }: NewEvent) {
  await sql`
    insert into platform_event (id, type, subject_id, data, seal)
    values (${id}::uuid, ${type}, ${subjectId}, ${data}::jsonb, ${seal})`.execute(tx);
}

/** The columns of an event as the contract has them, and its seal; the alias of the table is `event`. */
export const eventColumns = sql`event.id, event.seq, event.type, event.subject_id as "subjectId",
  event.at as timestamp, event.data, event.seal`;

/** Returns committed events after that number, in order. The numbers have gaps where transactions were rolled back. */
export const selectEvents = (db: Db, { after, limit }: { after: bigint; limit: number }) =>
  runQuery<SealedEvent>(
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

const sealedAtOnce = 5_000;

/** Yields all kept events in batches, in the order of their ids. */
async function* eventsInBatches(db: Pick<Db, 'getExecutor'>) {
  let after: string | undefined;
  for (;;) {
    const batch = await runQuery<SealedEvent>(
      db,
      sql`select ${eventColumns} from platform_event as event
        where ${after === undefined ? sql`true` : sql`id > ${after}::uuid`} order by id limit ${sealedAtOnce}`,
    );
    const last = batch.at(-1);
    if (!last) return;
    yield batch;
    after = last.id;
  }
}

/** Returns the ids of the events that no process with the key recorded as they are. */
export async function findForgedEvents(db: Db) {
  const forged: string[] = [];
  for await (const batch of eventsInBatches(db)) {
    forged.push(...batch.filter((event) => !isGenuine(event)).map(({ id }) => id));
  }
  return forged;
}

/** Seals the events of a version without seals as they are. */
export async function sealEarlierEvents(db: Pick<Db, 'getExecutor'>) {
  for await (const batch of eventsInBatches(db)) {
    const ids = batch.map(({ id }) => id);
    const seals = batch.map((event) => sealOfEvent(event).toString('hex'));
    await runQuery(
      db,
      sql`update platform_event as event set seal = decode(it.seal, 'hex')
        from unnest(${ids}::uuid[], ${seals}::text[]) as it (id, seal) where event.id = it.id`,
    );
  }
}
