import { createHmac, timingSafeEqual } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import { recordSealKey } from './key.ts';

/*
 * Seals of the records on which the database alone cannot tell a process from someone with its stolen login. A process
 * seals what it wrote in the same transaction; a verification names every record without a seal that fits it.
 */

export type SealedKind = 'deposit' | 'withdrawal' | 'withdrawal-request' | 'approval' | 'authority';

const micros = (column: string) => sql.raw(`coalesce((extract(epoch from ${column}) * 1000000)::bigint::text, '')`);
const text = (...columns: string[]) =>
  sql.raw(columns.map((column) => `coalesce(${column}::text, '')`).join(` || '|' || `));

/**
 * SQL for the table, what a seal covers as text, and which records have one. Only the last covered value can be free
 * text, so the separator is unambiguous.
 */
const sealed: Record<SealedKind, { table: string; content: RawBuilder<string>; condition: RawBuilder<boolean> }> = {
  deposit: {
    table: 'deposit',
    content: sql`${text('user_id', 'asset', 'units')} || '|' || ${micros('recorded_at')}`,
    condition: sql`true`,
  },
  withdrawal: {
    table: 'withdrawal',
    content: sql`${text('user_id', 'amount_usd', 'state', 'mode', 'decided_by', 'settled_by', 'settled_source')}
      || '|' || json_build_array(wallet, reference)::text`,
    condition: sql`state <> 'requested'`,
  },
  // Covers only what never changes, so a request that no process made stays named after it is decided.
  'withdrawal-request': {
    table: 'withdrawal',
    content: sql`${text('user_id', 'amount_usd')} || '|' || ${micros('created_at')} || '|' || wallet`,
    condition: sql`true`,
  },
  approval: {
    table: 'approval',
    content: sql`${text('kind', 'subject_id', 'digest', 'requested_by', 'asset', 'units', 'state', 'rule', 'decided_by')}
      || '|' || ${micros('requested_at')} || '|' || ${micros('decided_at')}`,
    // One that expired or became void allowed nothing.
    condition: sql`state in ('waiting', 'approved', 'denied')`,
  },
  authority: {
    table: 'admin_authority',
    content: sql`${text('admin_id', 'cause', 'given_by', 'approval_id')} || '|' || ${micros('given_at')}`,
    condition: sql`true`,
  },
};
const sealedKinds = Object.keys(sealed) as SealedKind[];

const sealOf = (kind: SealedKind, id: string, content: string) =>
  createHmac('sha256', recordSealKey())
    .update(JSON.stringify([kind, id, content]))
    .digest();

type Sealable = { id: string; content: string };

async function insertSeals(tx: Tx, kind: SealedKind, records: readonly Sealable[]) {
  const ids = records.map(({ id }) => id);
  const seals = records.map(({ id, content }) => sealOf(kind, id, content).toString('hex'));
  await sql`
    insert into record_seal (kind, record_id, seal)
    select ${kind}, id, decode(seal, 'hex') from unnest(${ids}::uuid[], ${seals}::text[]) as it (id, seal)
    on conflict do nothing`.execute(tx);
}

const atOnce = 20_000;

/** Seals records as they are now. Call it in the transaction that wrote them, after the last change. */
export async function sealRecords(tx: Tx, kind: SealedKind, ids: readonly string[]) {
  const { table, content, condition } = sealed[kind];
  for (let start = 0; start < ids.length; start += atOnce) {
    const some = ids.slice(start, start + atOnce);
    const records = await runQuery<Sealable>(
      tx,
      sql`select id, ${content} as content from ${sql.table(table)} where id = any(${some}::uuid[]) and ${condition}`,
    );
    await insertSeals(tx, kind, records);
  }
}

/** Seals all records of a kind that have no seal at all, as they are. Returns their number. */
export async function sealUnsealed(tx: Tx, kinds: readonly SealedKind[] = sealedKinds) {
  let count = 0;
  for (const kind of kinds) {
    for await (const batch of batchesOf(tx, kind)) {
      const unsealed = batch.filter(({ seals }) => seals.length === 0);
      await insertSeals(tx, kind, unsealed);
      count += unsealed.length;
    }
  }
  return count;
}

type WithSeals = Sealable & { seals: string[] };

/**
 * Yields the records in the order of their ids, with their seals; records with the same id are in the same batch. The
 * seals are looked up after the batch is cut: PostgreSQL would otherwise read all further records for every batch.
 */
async function* batchesOf(db: Db, kind: SealedKind, which: RawBuilder<boolean> = sql`true`) {
  const { table, content, condition } = sealed[kind];
  // Starting after the nil UUID would leave out a record that was forged with that id.
  let after: string | undefined;
  for (;;) {
    const batch = await runQuery<WithSeals>(
      db,
      sql`
      with batch as materialized (
        select id, ${content} as content from ${sql.table(table)} as it
        where ${after === undefined ? sql`true` : sql`id > ${after}::uuid`} and ${condition} and ${which}
        order by id fetch first ${sql.lit(atOnce)} rows with ties)
      select id, content, array(
        select encode(seal, 'hex') from record_seal where record_seal.kind = ${kind} and record_id = batch.id) as seals
      from batch order by id`,
    );
    const last = batch.at(-1);
    if (!last) return;
    yield batch;
    after = last.id;
  }
}

/**
 * Returns the ids of the records without a seal that fits them: no process with the key wrote them as they are.
 * `which` limits the records, which the query names `it`.
 */
export async function findUnsealed(db: Db, kind: SealedKind, which?: RawBuilder<boolean>) {
  const unsealed: string[] = [];
  for await (const batch of batchesOf(db, kind, which)) {
    for (const { id, content, seals } of batch) {
      const seal = sealOf(kind, id, content);
      if (!seals.some((one) => timingSafeEqual(Buffer.from(one, 'hex'), seal))) unsealed.push(id);
    }
  }
  return unsealed;
}

/** Seals the records from before their kind had seals, once for each kind. Returns the number for each kind sealed now. */
export async function sealEarlierRecords(tx: Tx) {
  await sql`lock table record_sealing in share row exclusive mode`.execute(tx);
  const done = await tx.selectFrom('recordSealing').select('kind').execute();
  const sealedNow = new Map<SealedKind, number>();
  for (const kind of sealedKinds) {
    if (done.some((earlier) => earlier.kind === kind)) continue;
    const count = await sealUnsealed(tx, [kind]);
    const row = { kind, records: BigInt(count) };
    await tx.insertInto('recordSealing').values(row).execute();
    sealedNow.set(kind, count);
  }
  return sealedNow;
}
