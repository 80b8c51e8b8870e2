import type { Change } from '../processes/code.ts';

const runs = 'server/src/features/runs';

/** Each breaks one rule by one change. The model must then differ. */
export const mutants = {
  'the planner forgets which stakes were paid': {
    file: `${runs}/kinds/stake-payout.ts`,
    from: `              when \${paidBefore(run)} then 'paid'\n`,
    to: '',
  },
  'the planner forgets which bonuses were paid': {
    file: `${runs}/kinds/rank-bonus.ts`,
    from: `          when \${paidBefore(run, rank)} then 'paid'\n`,
    to: '',
  },
  'the planner pays blacklisted users': {
    file: `${runs}/kinds/stake-payout.ts`,
    from: `              when platform_user.blacklisted_at is not null then 'blacklisted'\n`,
    to: '',
  },
  'users who were blacklisted since the plan are paid': {
    file: `${runs}/paying/pay-queries.ts`,
    from: `where blacklisted_at > '-infinity' and blacklisted_at > \${since}`,
    to: 'where false',
  },
  'users who were deleted since the plan are paid': {
    file: `${runs}/paying/pay-queries.ts`,
    from: `from platform_user where retired_at > \${since}`,
    to: 'from platform_user where false',
  },
  'the rank is that of today': {
    file: `${runs}/kinds/rank-at.ts`,
    from: `where later.user_id = platform_user.id and later.made_at >= \${asOf} order`,
    to: `where false and later.made_at >= \${asOf} order`,
  },
  'holders of a rank are those of today': {
    file: `${runs}/kinds/rank-at.ts`,
    from: `where former.from_rank = \${sql.lit(rank)}\``,
    to: `where false and former.from_rank = \${sql.lit(rank)}\``,
  },
  'settings apply before their day': {
    file: `${runs}/planning/create.ts`,
    from: 'effectiveFrom < asOf &&',
    to: 'effectiveFrom < new Date(8.64e15) && asOf &&',
  },
  'a bonus that is paid to more users has the amount of today': {
    file: `${runs}/kinds/rank-bonus.ts`,
    from: 'keepsSettings: true',
    to: 'keepsSettings: false',
  },
  'a day that is paid again has the time of its second payment': {
    file: `${runs}/planning/create.ts`,
    from: '(await selectFirstAsOf(tx, { kind, period })) ?? due.asOf',
    to: 'due.asOf',
  },
  'pausing has no effect': {
    file: 'contract/src/run-states.ts',
    from: `event: 'pause', to: 'paused'`,
    to: `event: 'pause', to: 'running'`,
  },
  'canceling a running run has no effect': {
    file: 'contract/src/run-states.ts',
    from: `from: 'running', event: 'cancel', to: 'cancelled'`,
    to: `from: 'running', event: 'cancel', to: 'running'`,
  },
  'nobody is asked for approval': {
    file: 'server/src/core/approvals/approvals.ts',
    from: '  if (await isWithinLimit(tx, id)) {',
    to: '  if ((await isWithinLimit(tx, id)) || true) {',
  },
  'a reversal takes what was dropped': {
    file: `${runs}/kinds/reversal.ts`,
    from: `line.skip is null and \${isKept('line')} \${whose}`,
    to: `line.skip is null \${whose}`,
  },
  'a reversal of one user takes from all': {
    file: `${runs}/kinds/reversal.ts`,
    from: 'user === null ? sql`` :',
    to: 'user !== undefined ? sql`` :',
  },
  'paying one user again pays all': {
    file: `${runs}/planning/plan.ts`,
    from: 'if (run.onlyUser !== null) {',
    to: 'if (run.onlyUser === undefined) {',
  },
  'what is spent is not owed': {
    file: 'server/src/core/ledger/receivables.ts',
    from: `having sum(\${takenFromUser}) > total.\${balance}`,
    to: 'having false',
  },
  'what is owed is not settled': {
    file: 'server/src/core/ledger/receivables.ts',
    from: 'from due where units > 0',
    to: 'from due where false',
  },
  'more is settled than was owed for the payment': {
    file: 'server/src/core/ledger/receivables.ts',
    from: `where (run.period = paying.period or paid_once(\${kind})) and exists`,
    to: 'where exists',
  },
  'more is collected than the limit': {
    file: 'server/src/core/ledger/receivables.ts',
    from: `greatest(coalesce(again_due.units, 0), \${collects})`,
    to: `greatest(coalesce(again_due.units, 0), \${collects} * 2)`,
  },
  'more is collected than was paid': {
    file: 'server/src/core/ledger/receivables.ts',
    from: `least(paid.units, \${owes}, greatest`,
    to: `least(\${owes}, greatest`,
  },
  'a spent stake is locked again': {
    file: `${runs}/paying/pay-queries.ts`,
    from: `where taken.units > held.\${balance}\``,
    to: `where false and taken.units > held.\${balance}\``,
  },
  'loyalty is not paid at the end': {
    file: `${runs}/kinds/stake-payout.ts`,
    from: 'when completes then loyalty + set_aside',
    to: 'when completes then loyalty',
  },
  'a stake does not end': {
    file: `${runs}/kinds/stake-payout.ts`,
    from: 'skip is null and completes as completes',
    to: 'false as completes',
  },
  'the loyalty of an ended stake is reversed': {
    file: `${runs}/kinds/reversal.ts`,
    from: `when ended then 'ended'`,
    to: `when false then 'ended'`,
  },
  'a dead worker leaves its payments behind': {
    file: `${runs}/paying/pay.ts`,
    from: `  const { posted, ended } = await postChunk(tx, { run, chunk: due, hasDropped: dropped.lines > 0n, endStakes });`,
    to: `  const { posted, ended } = await postChunk(tx, { run, chunk: due, hasDropped: dropped.lines > 0n, endStakes });
  const { sql } = await import('kysely');
  await sql\`commit\`.execute(tx);`,
  },
  'a dead worker leaves half a plan behind': {
    file: `${runs}/planning/plan.ts`,
    from: 'while (await database.transaction().execute((tx) => deleteLastChunk(tx, run))) signal.throwIfAborted();',
    to: '',
  },
} satisfies Record<string, Change>;
