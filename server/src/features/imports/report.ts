import { type Asset, writeAmount } from 'contract/core/money.ts';
import { type RawBuilder, sql } from 'kysely';
import { type Db, runQuery } from '#server/core/db/db.ts';

/** What the files say and what Bursar has. `amount` is a sum in the asset of the line. */
export type ReportLine = {
  what: string;
  asset: Asset | null;
  source: { rows: number; amount: string | null };
  bursar: { rows: number; amount: string | null };
};

type Counted = { what: string; asset: Asset | null; rows: bigint; units: bigint | null };

const counted = (db: Db, text: RawBuilder<Counted>) => runQuery<Counted>(db, text);

const sources = sql<Counted>`
  select 'users' as what, 'SHARE' as asset, count(*) as rows, coalesce(sum(gmp_shares), 0)::bigint as units from import_user
  union all
  select 'stakes, ' || status, 'USD', count(*), sum(amount_usd)::bigint from import_stake group by status
  union all
  select 'withdrawals, ' || status, 'USD', count(*), sum(amount_usd)::bigint from import_withdrawal group by status
  union all
  select 'tickets', null, count(*), null from import_ticket`;

const stored = sql<Counted>`
  select 'users' as what, 'SHARE' as asset, count(*) as rows, coalesce(sum(total.gmp_shares), 0)::bigint as units
  from platform_user join import_user on import_user.id = platform_user.id
  join user_total as total on total.user_id = platform_user.id
  union all
  select 'stakes, ' || stake.status, 'USD', count(*), sum(stake.amount_usd)::bigint
  from stake join import_stake on import_stake.id = stake.id group by stake.status
  union all
  select 'withdrawals, ' || item.status, 'USD', count(*), sum(item.amount_usd)::bigint
  from withdrawal as item join import_withdrawal on import_withdrawal.id = item.id group by item.status
  union all
  select 'tickets', null, count(*), null from ticket join import_ticket on import_ticket.id = ticket.id`;

const balances = sql<Counted>`
  select 'balances' as what, asset::text as asset, count(*) as rows, sum(units)::bigint as units
  from import_balance where units > 0 group by asset`;

/** What the users of the files own in the ledger: available, in stakes and held for withdrawals. */
const owned = sql<Counted>`
  select 'balances' as what, asset, count(*) filter (where units > 0) as rows, coalesce(sum(units), 0)::bigint as units
  from import_user join user_total as total on total.user_id = import_user.id
  cross join lateral (values
    ('USD', available_usd + staked_usd + withdrawing_usd), ('GMP', available_gmp), ('SLX', slx)
  ) as account (asset, units)
  group by asset having coalesce(sum(units), 0) > 0`;

/**
 * Compares the staged rows with what Bursar stored and what the ledger has. Run it before anyone uses the platform: it
 * compares the balances that the users have now.
 */
export async function compareSums(db: Db): Promise<ReportLine[]> {
  const given = [...(await counted(db, sources)), ...(await counted(db, balances))];
  const had = [...(await counted(db, stored)), ...(await counted(db, owned))];
  const keyOf = ({ what, asset }: Counted) => `${what} ${asset}`;
  const keys = [...new Set([...given, ...had].map(keyOf))];
  return keys.map((key) => {
    const [source, bursar] = [given, had].map((list) => list.find((line) => keyOf(line) === key));
    const { what, asset } = source ?? bursar ?? { what: key, asset: null };
    return { what, asset, source: shown(source), bursar: shown(bursar) };
  });
}

function shown(line: Counted | undefined) {
  if (!line) return { rows: 0, amount: null };
  const { asset, rows, units } = line;
  return { rows: Number(rows), amount: asset && units !== null ? writeAmount(units, asset) : null };
}

export const isEqual = ({ source, bursar }: ReportLine) =>
  source.rows === bursar.rows && source.amount === bursar.amount;

export const formatLine = ({ what, asset, source, bursar }: ReportLine) => {
  const side = ({ rows, amount }: ReportLine['source']) =>
    `${rows} rows${amount === null ? '' : `, ${amount} ${asset}`}`;
  return `${what}: files ${side(source)}; Bursar ${side(bursar)}`;
};
