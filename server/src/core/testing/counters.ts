import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { type FoldCounts, foldAll } from '#server/core/queue/count-job.ts';
import type { TestDatabase } from './database.ts';

export const foldBy = (db: TestDatabase, fold: FoldCounts) => () => foldAll(db.worker, [fold]);

type Work = { fold: () => Promise<void>; look: () => Promise<void>; write: (step: number) => Promise<void> };

/** Folding without a pause would keep a core busy and make the writers wait for each other's locks. */
const pauseMs = 2;

/** Runs four writers, two folding workers and one reader concurrently. The check in `look` must hold at all times. */
export async function whileFolding({ fold, look, write }: Work, steps = 40) {
  let writing = true;
  const folding = Array.from({ length: 2 }, async () => {
    while (writing) {
      await fold();
      await wait(pauseMs);
    }
  });
  const looking = (async () => {
    while (writing) {
      await look();
      await wait(pauseMs);
    }
  })();
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let step = 0; step < steps; step += 1) await write(step);
    }),
  );
  writing = false;
  await Promise.all([...folding, looking]);
  await look();
}

type Counted = { table: 'stake' | 'task' | 'ticket' | 'withdrawal'; sums?: 'amount_usd' };

/** Checks of the counters of a table by status. `sums` is the column that the counters also sum up. */
export function countersOf({ owner }: TestDatabase, { table, sums }: Counted) {
  const [rows, counters] = [sql.table(table), sql.table(`${table}_count`)];
  const summed = sums ? sql.ref(sums) : sql`0`;

  /** Reads both in one statement, so that nothing changes in between. */
  async function read() {
    const { rows: all } = await sql<{ status: string; kept: string; counted: string }>`
      select status::text,
        (select concat(count(*), ' for ', coalesce(sum(${summed}), 0)) from ${rows} as item
          where item.status = one.status) as counted,
        (select concat(coalesce(sum(delta), 0), ' for ', coalesce(sum(${summed}), 0)) from ${counters} as item
          where item.status = one.status) as kept
      from unnest(enum_range(null::${sql.raw(`${table}_status`)})) as one (status)`.execute(owner);
    return all;
  }

  async function expectExact() {
    const all = await read();
    expect(all).not.toEqual([]);
    for (const { status, kept, counted } of all) expect({ status, kept }).toEqual({ status, kept: counted });
  }

  async function expectFolded() {
    const { rows: found } = await sql<{ status: string }>`select status::text from ${counters}`.execute(owner);
    const { rows: used } = await sql<{ status: string }>`select distinct status::text from ${rows}`.execute(owner);
    const statuses = found.map(({ status }) => status);
    expect(statuses).toHaveLength(new Set(statuses).size);
    expect(statuses).toEqual(expect.arrayContaining(used.map(({ status }) => status)));
  }

  async function expectNothingCountedOf(change: string) {
    const before = await read();
    const undone = owner.transaction().execute(async (tx) => {
      await sql.raw(change).execute(tx);
      throw new Error('Changed my mind.');
    });
    await expect(undone).rejects.toThrow('Changed my mind.');
    expect(await read()).toEqual(before);
  }

  return { expectExact, expectFolded, expectNothingCountedOf };
}
