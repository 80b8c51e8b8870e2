import { poolOf } from 'contract/formulas.ts';
import { GmpDistribution } from 'contract/jobs-gmp-distro.ts';
import { Frequency } from 'contract/recurrence.ts';
import { sql } from 'kysely';
import { runQuery, type Tx } from '#server/core/db/db.ts';
import { partOf, postedFor } from '#server/core/ledger/lines.ts';
import { countAttempts, isFullyPaid } from '../store/run-queries.ts';
import { type Holders, splitOf } from './gmp-split.ts';
import type { JobKind, Plan, Planning } from './kind.ts';
import { distributionPeriod, refusePaid } from './periods.ts';

const kind = 'gmp-distro';

const periodAt = (at: Date, settings: unknown) => distributionPeriod(at, GmpDistribution.parse(settings));

/** A Monday and its week have the same day, so the frequency is the last digit of the part. */
const variantOf = ({ settings }: Planning) => 1 + Frequency.options.indexOf(GmpDistribution.parse(settings).frequency);

const partFor = (run: Planning) =>
  run.part === 0
    ? sql`${sql.lit(variantOf(run))}`
    : partOf({ day: run.day, causeId: sql`total.user_id`, kinds: ['gmp'], variant: variantOf(run) });

const paidBefore = (run: Planning) =>
  run.part === 0
    ? sql`false`
    : sql`exists (
        select from ${postedFor(sql`(select ${run.day}::date)`, sql`total.user_id`)} as it
        where it.kind = 'gmp' and it.part % 10 = ${variantOf(run)})`;

/** The users who share the pool. Ineligible users and users who were already paid are excluded. One user has it alone. */
const holders =
  (run: Planning): Holders =>
  ({ after, to }) =>
    sql`(
    select total.user_id, total.gmp_shares
    from user_total as total join platform_user on platform_user.id = total.user_id
    where total.user_id > ${after}::uuid and total.user_id <= ${to}::uuid and total.gmp_shares > 0
      -- The range is on both tables, so that both are read by key and merged.
      and platform_user.id > ${after}::uuid and platform_user.id <= ${to}::uuid
      and platform_user.blacklisted_at is null and platform_user.retired_at is null and not ${paidBefore(run)}
      and total.user_id = coalesce(${run.onlyUser}::uuid, total.user_id)
  )`;

/** Returns the rest of the pool. All parts of a period together pay the pool once. One user gets what was reversed. */
async function poolLeft(tx: Tx, run: Planning) {
  const { amount, percentage } = GmpDistribution.parse(run.settings);
  const pool = poolOf(amount, percentage);
  if (run.part === 0) return pool;
  const [before] = await runQuery<{ paid: bigint }>(
    tx,
    sql`select coalesce(sum(case when reverses is null then units else -units end), 0)::bigint as paid
      from transfer where day = ${run.day}::date and kind = 'gmp' and part % 10 = ${variantOf(run)}`,
  );
  const left = pool - (before?.paid ?? 0n);
  const due = run.onlyUser === null ? left : least(left, await reversedFor(tx, run, run.onlyUser));
  return due > 0n ? due : 0n;
}

const least = (one: bigint, other: bigint) => (one < other ? one : other);

/** Returns what was last reversed for a user. */
async function reversedFor(tx: Tx, run: Planning, userId: string) {
  const [last] = await runQuery<{ units: bigint }>(
    tx,
    sql`select units from transfer
      where day = ${run.day}::date and kind = 'gmp' and part % 10 = ${variantOf(run)} and cause_id = ${userId}::uuid
        and reverses_day is not null
      order by part desc limit 1`,
  );
  return last?.units ?? 0n;
}

const plan: Plan = {
  inputsOf: async (tx, run) => splitOf(tx, holders(run), await poolLeft(tx, run)),

  users: (_run, after) => sql`
    select user_id as "userId" from user_total where user_id > ${after}::uuid and gmp_shares > 0 order by user_id`,

  lines: (run, { after, to }, { pool, shares, lost, userId }) => sql`
    select user_id, cause_id, part, input, 0 as rate_ppm, false as ranked,
      case when skip is null then units else 0 end as base, 0::bigint as bonus, 0::bigint as loyalty,
      0::bigint as closing, false as completes, skip, units as budget, 0::bigint as unranked, 0::bigint as unshared
    from (
      select *, case when ineligible is not null then ineligible when units = 0 then 'nothing' end::skip_reason as skip
      from (
        select user_id, cause_id, part, input, ineligible, case when ineligible is null then
            div(${pool}::numeric * input, ${shares}::numeric)::bigint + case
              when (-((${pool}::numeric * input) % ${shares}::numeric), user_id)
                <= (-(${lost}::numeric), ${userId}::uuid) and ${lost}::numeric >= 0 then 1
              else 0
            end
          else 0 end as units
        from (
          select total.user_id, total.user_id as cause_id, ${partFor(run)} as part, total.gmp_shares as input, case
            when platform_user.retired_at is not null then 'deleted'
            when platform_user.blacklisted_at is not null then 'blacklisted'
            when ${paidBefore(run)} then 'paid'
          end as ineligible
          from user_total as total join platform_user on platform_user.id = total.user_id
          where total.user_id > ${after}::uuid and total.user_id <= ${to}::uuid and total.gmp_shares > 0
          offset 0
        ) as holder
        offset 0
      ) as computed
    ) as judged`,
};

export const gmpDistribution: JobKind = {
  plan,
  moves: [{ kind: 'gmp', amount: 'base', debit: 'gmp_pool', credit: 'available' }],
  causeIsUser: false,
  periodToPay: (tx, { settings, now }) => refusePaid(tx, kind, { ...periodAt(now, settings), asOf: now }),
  hasUnpaidPeriod: async (db, { period }) => !(await isFullyPaid(db, { kind, period })),
  // A weekly distribution and a daily one pay different periods.
  isForSamePayments: (saved, used) => GmpDistribution.parse(saved).frequency === GmpDistribution.parse(used).frequency,
  keepsSettings: true,
  countAttempts: (tx, day) => countAttempts(tx, { kind, day }),
  // Each occurrence that was missed is planned from the calendar, by the settings of its time.
  plannableFrom: () => new Date(0),
  schedule: { catchUp: 'latest', recurrence: (settings) => GmpDistribution.parse(settings), periodAt },
};
