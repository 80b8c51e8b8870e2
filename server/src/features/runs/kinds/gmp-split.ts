import { type RawBuilder, sql } from 'kysely';
import { runQuery, type Tx } from '#server/core/db/db.ts';
import type { Inputs } from './kind.ts';
import { type Range, beforeAll, everyone } from '../store/ranges.ts';

/** Selects `user_id` and `gmp_shares` of the users in a range who share the pool. */
export type Holders = (range: Range) => RawBuilder<unknown>;

type Split = { ranges: Range[]; holders: Holders; pool: bigint; shares: bigint };

const noneLeftOver = { lost: '-1', userId: beforeAll };

/** All users are read several times, in pieces, so that no statement times out however many users there are. */
const usersAtOnce = 20_000;

/** Computes how a pool is split: the inputs that depend on all holders together. */
export async function splitOf(tx: Tx, holders: Holders, pool: bigint): Promise<Inputs> {
  const ranges = await rangesOf(tx);
  const held = await inEach(
    tx,
    ranges,
    (range) =>
      sql<{ shares: bigint }>`select coalesce(sum(gmp_shares), 0)::bigint as shares from ${holders(range)} as holder`,
  );
  const shares = held.reduce((sum, part) => sum + part.shares, 0n);
  if (shares === 0n) return { pool: '0', shares: '1', ...noneLeftOver };
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

async function inEach<R>(tx: Tx, ranges: readonly Range[], query: (range: Range) => RawBuilder<R>) {
  const rows: R[] = [];
  for (const range of ranges) rows.push(...(await runQuery(tx, query(range))));
  return rows;
}

/** Each part of the pool rounded down, and the remainder that rounding took, as a numerator over all shares. */
const rounded = ({ holders, pool, shares }: Split, range: Range) => sql`(
    select user_id, div(units, ${shares}::numeric) as floor, units % ${shares}::numeric as lost
    from (select user_id, ${pool}::numeric * gmp_shares as units from ${holders(range)} as holder offset 0) as exact
    offset 0
  ) as holder`;

/** The remainder is searched in this many buckets, and then in as many within the bucket that contains it. */
const parts = 4_096n;

/** Finds the last holder who gets a unit left over by rounding: the largest remainders come first, then the ids. */
async function lastToGetOneMore(tx: Tx, split: Split) {
  let step = 1n;
  while (step * parts < split.shares) step *= parts;
  let tally = await tallyOf(tx, split, { from: 0n, step });
  let left = split.pool - tally.floor;
  if (left === 0n) return noneLeftOver;
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

/** Counts the holders per bucket of remainders, and sums what they get rounded down. */
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

/** Finds the bucket of the nth holder, counted from the largest remainder, and the position within it. */
function placeOf(users: ReadonlyMap<bigint, bigint>, nth: bigint) {
  let left = nth;
  for (let part = parts - 1n; part >= 0n; part -= 1n) {
    const holders = users.get(part) ?? 0n;
    if (left <= holders) return { part, left };
    left -= holders;
  }
  throw new Error('Rounding left more units than there are holders.');
}

/** Returns the nth holder, by id, of those with exactly this remainder. */
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
  throw new Error('A counted user no longer exists.');
}
