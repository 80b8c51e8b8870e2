import type { Fixture } from '../processes/fixture.ts';
import type { Chunk, Line, Model, Run } from './model.ts';

type Facts = {
  users: unknown[];
  completed: string[];
  runs: unknown[];
  treasury: string;
  loyalty: string;
  receivables: unknown[];
};

/** What both the model and the database know, in the same form. */
export const factsOf = (model: Model): Facts => ({
  users: model.users.map(({ id, available, staked, owed, stakeEarnings, rankBonuses }) => ({
    id,
    available: String(available),
    staked: String(staked),
    owed: String(owed),
    stakeEarnings: String(stakeEarnings),
    rankBonuses: String(rankBonuses),
  })),
  completed: model.stakes
    .filter(({ isCompleted }) => isCompleted)
    .map(({ id }) => id)
    .toSorted(),
  runs: model.runs.map(runFacts),
  treasury: String(model.treasury),
  loyalty: String(model.loyalty),
  receivables: model.receivables.map(({ run, user, units }) => `${run} ${user} ${units}`).toSorted(),
});

const runFacts = ({ id, kind, period, state, reverses, onlyUser, chunks }: Run) => ({
  id,
  kind,
  period,
  state,
  reverses,
  onlyUser,
  chunks: chunks?.map(chunkFacts) ?? null,
});

const chunkFacts = ({ isPaid, lines }: Chunk) => ({ isPaid, lines: lines.map(lineFacts) });

const lineFacts = ({ user, cause, base, bonus, loyalty, closing, returned, skip, dropped }: Line) =>
  [user, cause, base, bonus, loyalty, closing, returned, skip ?? '-', dropped ?? '-'].join(' ');

const queries = {
  users: `
    select user_id as id, available_usd::text as available, staked_usd::text as staked, receivable_usd::text as owed,
      staked_earned_usd::text as "stakeEarnings", weekly_rank_bonus_usd::text as "rankBonuses"
    from user_total order by user_id`,
  completed: `select id from stake where status = 'Completed' order by id`,
  runs: `
    select run.id, run.kind, run.period, run.reverses,
      case when run.state = 'planned' and exists (
        select from approval where kind = 'run' and subject_id = run.id and state = 'waiting'
      ) then 'waiting' else run.state::text end as state,
      case when run.reverses is null then run.only_user::text else run.settings->>'person' end as "onlyUser",
      case when run.plan_hash is not null then coalesce((
        select jsonb_agg(jsonb_build_object('isPaid', chunk.paid_at is not null, 'lines', (
          select jsonb_agg(concat_ws(' ', line.user_id, line.cause_id, line.base, line.bonus, line.loyalty, line.closing,
            case when line.completes then line.input else 0 end, coalesce(line.skip::text, '-'),
            coalesce(dropped.skip::text, '-')) order by line.user_id, line.cause_id)
          from run_line as line
          left join run_line_dropped as dropped on dropped.run_id = line.run_id and dropped.user_id = line.user_id
            and dropped.cause_id = line.cause_id
          where line.run_id = run.id and line.chunk = chunk.no
        )) order by chunk.no) from run_chunk as chunk where chunk.run_id = run.id
      ), '[]') end as chunks
    from run order by run.created_at, run.id`,
  balances: `
    select account, sum(units)::text as units from ledger_balance
    where account in ('treasury', 'loyalty') and asset = 'USD' group by account`,
  receivables: `select concat_ws(' ', run_id, user_id, units) as one from receivable order by 1`,
};

/** Reads the same facts from the database. */
export async function readFacts({ pool }: Fixture): Promise<Facts> {
  const read = async <R extends object>(text: string) => (await pool.query<R>(text)).rows;
  const balances = await read<{ account: string; units: string }>(queries.balances);
  const balanceOf = (account: string) => balances.find((one) => one.account === account)?.units ?? '0';
  const runs = await read<{ chunks: { isPaid: boolean; lines: string[] | null }[] | null }>(queries.runs);
  return {
    users: await read(queries.users),
    completed: (await read<{ id: string }>(queries.completed)).map(({ id }) => id),
    runs,
    treasury: balanceOf('treasury'),
    loyalty: balanceOf('loyalty'),
    receivables: (await read<{ one: string }>(queries.receivables)).map(({ one }) => one),
  };
}
