import { type RawBuilder, sql } from 'kysely';
import { runQuery, type Tx } from '#server/core/db/db.ts';
import type { Inputs } from './kind.ts';
import { type Range, beforeAll, everyone } from '../store/ranges.ts';

/** `user_id` and `gmp_shares` of whoever shares the pool, of a range of users. */
export type Holders = (range: Range) => RawBuilder<unknown>;

type Split = { ranges: Range[]; holders: Holders; pool: bigint; shares: bigint };

const nobody = { lost: '-1', userId: beforeAll };

/** All are looked at several times, in statements of a fraction of a second: however many there are, none runs out of time. */
const usersAtOnce = 20_000;

/** How a pool is split over its holders: what follows from all of them together. */
export async function splitOf(tx: Tx, holders: Holders, pool: bigint): Promise<Inputs> {
  const ranges = await rangesOf(tx);
  const held = await inEach(
    tx,
    ranges,
    (range) =>
      sql<{ shares: bigint }>`select coalesce(sum(gmp_shares), 0)::bigint as shares from ${holders(range)} as holder`,
  );
  const shares = held.reduce((sum, part) => sum + part.shares, 0n);
  if (shares === 0n) return { pool: '0', shares: '1', ...nobody };
  const last = await lastToGetOneMore(tx, { ranges, holders, pool, shares });
  return { pool: String(pool), shares: String(shares), ...last };
}

async function rangesOf(tx: Tx) {
  const ranges: Range[] = [];
  for (let after: string = beforeAll; after !== everyone; ) {
    const [end] = await runQuery<{ id: string }>(
      tx,
      sql`select user_id as id from user_total where user_id > ${after}::uuid
        order by user_id offset ${usersAtOnce - 1} limit 1`,
    );
    const to = end?.id ?? everyone;
    ranges.push({ after, to });
    after = to;
  }
  return ranges;
}

async function inEach<R>(tx: Tx, ranges: readonly Range[], question: (range: Range) => RawBuilder<R>) {
  const answers: R[] = [];
  for (const range of ranges) answers.push(...(await runQuery(tx, question(range))));
  return answers;
}

/** What each would get, rounded down, and what rounding took: of the pool, so many of all shares. */
const rounded = ({ holders, pool, shares }: Split, range: Range) => sql`(
    select user_id, div(units, ${shares}::numeric) as floor, units % ${shares}::numeric as lost
    from (select user_id, ${pool}::numeric * gmp_shares as units from ${holders(range)} as holder offset 0) as exact
    offset 0
  ) as holder`;

/** What was lost is looked for in so many parts at once, then in so many of the part that it lies in. */
const parts = 4_096n;

/** What rounding down takes from everyone adds up to some units: they go to those who lost most, then by id. */
async function lastToGetOneMore(tx: Tx, split: Split) {
  let step = 1n;
  while (step * parts < split.shares) step *= parts;
  let tally = await tallyOf(tx, split, { from: 0n, step });
  let left = split.pool - tally.floor;
  if (left === 0n) return nobody;
  for (let from = 0n; ; ) {
    const found = placeOf(tally.users, left);
    from += found.part * step;
    ({ left } = found);
    if (step === 1n) return { lost: String(from), userId: await nthOf(tx, split, { lost: from, nth: left }) };
    step /= parts;
    tally = await tallyOf(tx, split, { from, step });
  }
}

type Scale = { from: bigint; step: bigint };
type Counted = { part: number; users: number; floor: bigint };

/** How many lost how much, and what all of them get rounded down. */
async function tallyOf(tx: Tx, split: Split, { from, step }: Scale) {
  const lost = sql`lost - ${from}::numeric`;
  const counted = await inEach(
    tx,
    split.ranges,
    (range) => sql<Counted>`
      select div(${lost}, ${step}::numeric)::int as part, count(*)::int as users, sum(floor)::bigint as floor
      from ${rounded(split, range)}
      where lost >= ${from}::numeric and lost < ${from + step * parts}::numeric
      group by 1`,
  );
  const users = new Map<bigint, bigint>();
  let floor = 0n;
  for (const one of counted) {
    const part = BigInt(one.part);
    users.set(part, (users.get(part) ?? 0n) + BigInt(one.users));
    floor += one.floor;
  }
  return { users, floor };
}

/** In which part the one is who comes so late among those who lost most, and how late in there. */
function placeOf(users: ReadonlyMap<bigint, bigint>, late: bigint) {
  let left = late;
  for (let part = parts - 1n; part >= 0n; part -= 1n) {
    const there = users.get(part) ?? 0n;
    if (left <= there) return { part, left };
    left -= there;
  }
  throw new Error('Rounding left more units than there are holders.');
}

/** By id, of those who lost exactly this. */
async function nthOf(tx: Tx, split: Split, { lost, nth }: { lost: bigint; nth: bigint }) {
  let left = nth;
  for (const range of split.ranges) {
    const [found] = await runQuery<{ users: bigint; id: string | null }>(
      tx,
      sql`select count(*) as users, (array_agg(user_id order by user_id))[${left}::bigint] as id
        from ${rounded(split, range)} where lost = ${lost}::numeric`,
    );
    if (found?.id) return found.id;
    left -= found?.users ?? 0n;
  }
  throw new Error('Whoever was counted is not there any more.');
}
