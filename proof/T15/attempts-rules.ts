import { type Attempt, forgedDecision } from './forged.ts';
import type { World } from './world.ts';

export function decisions(world: World): Attempt[] {
  const { run, secret, cause, ann, ben } = world;
  return [
    {
      aim: 'An approval',
      what: 'Add it as approved',
      statements: [
        `insert into approval (kind, subject_id, payload, digest, requested_by, expires_at, state, rule, decided_by, decided_at)
          values ('limit', '${cause}', '{}', '', '${ann}', now(), 'approved', 'second', '${ben}', now())`,
      ],
    },
    {
      aim: 'An approval',
      what: 'Approve a request in the name of another',
      statements: forgedDecision(world, { kind: 'limit', subject: cause }),
    },
    {
      aim: 'An approval',
      what: 'Make a request in the name of another',
      statements: forgedDecision(world, { kind: 'limit', subject: cause }).slice(0, 1),
    },
    {
      aim: 'An approval',
      what: 'Change what a request is about',
      statements: [`update approval set payload = '{"facts": [1]}'`],
    },
    { aim: 'An approval', what: 'Delete a decision', statements: ['delete from approval'] },
    {
      aim: 'An approval',
      what: 'Give oneself a permission',
      statements: [`update approval_permission set to_approve = 'tickets.write'`],
    },
    {
      aim: 'A run nobody approved',
      what: 'Start it',
      statements: [
        `update run set state = 'running', started_at = now(), started_by = '${ann}', approved_by = '${ben}' where id = '${run}'`,
      ],
    },
    {
      aim: 'A run nobody approved',
      what: 'Add it as running',
      statements: [
        `insert into run (kind, period, day, part, asset, settings, settings_version, as_of, state, plan_hash, planned_at,
          started_at, started_by)
          select kind, '2026-10-02', '2026-10-02', part, asset, settings, settings_version, as_of, 'running', plan_hash,
            planned_at, now(), '${ann}' from run where id = '${run}'`,
      ],
    },
    {
      aim: 'An API key that moves money',
      what: 'Approve its secret',
      statements: [`update api_key_secret set approved_at = now() where id = '${secret}'`],
    },
    {
      aim: 'An API key that moves money',
      what: 'Give a key more scopes',
      statements: [`update api_key set scopes = '{deposits:write,settlement:write}'`],
    },
  ];
}

export function rules(world: World): Attempt[] {
  const { limitChange, settingsChange, ann, ben } = world;
  const limit = `insert into approval_limit (kind, asset, version, limit_units, saved_by, approved_by)
    values ('alone', 'USD', 2, 900000000000, '${ann}', '${ben}')`;
  const settings = `insert into job_settings (job, version, settings, saved_by, approved_by, effective_from)
    values ('stake-payout', 2, '{"enabled": true, "baseReward": 100, "bonusReward": 0, "loyaltyReward": 0}', '${ann}', '${ben}',
      '2026-01-01')`;
  return [
    { aim: 'Higher limits', what: 'Add a limit', statements: [limit] },
    {
      aim: 'Higher limits',
      what: 'Change a limit',
      statements: ['update approval_limit set limit_units = 900000000000'],
    },
    {
      aim: 'Higher limits',
      what: 'Approve it in SQL and add it',
      statements: [...forgedDecision(world, { kind: 'limit', subject: limitChange }), limit],
    },
    { aim: 'Higher rewards', what: 'Add settings', statements: [settings] },
    {
      aim: 'Higher rewards',
      what: 'Add settings that nobody approved',
      statements: [settings.replace(`'${ben}',\n`, 'null,\n')],
    },
    {
      aim: 'Higher rewards',
      what: 'Approve them in SQL and add them',
      statements: [...forgedDecision(world, { kind: 'settings', subject: settingsChange }), settings],
    },
    {
      aim: 'Higher rewards',
      what: 'Change who sends withdrawals',
      statements: [`insert into withdrawal_settings (version, mode, unknown_after_hours) values (2, 'platform', 1)`],
    },
  ];
}

export function rates(world: World): Attempt[] {
  const { plan, promotion, user, ann } = world;
  const offer = `update stake_plan set offered = true where id = '${plan}'`;
  const rank = `update platform_user set rank = 'Platinum' where id = '${user}'`;
  return [
    { aim: 'Higher rates', what: 'Offer a plan', statements: [offer] },
    {
      aim: 'Higher rates',
      what: 'Add a plan as offered',
      statements: ['insert into stake_plan (days, daily_rate_ppm, offered) values (1, 999999, true)'],
    },
    {
      aim: 'Higher rates',
      what: 'Change the rate of a plan',
      statements: ['update stake_plan set daily_rate_ppm = 999999'],
    },
    {
      aim: 'Higher rates',
      what: 'Approve it in SQL and offer it',
      statements: [...forgedDecision(world, { kind: 'plan', subject: plan }), offer],
    },
    {
      aim: 'Higher rates',
      what: 'Add a stake at a rate of its own',
      statements: [
        `insert into stake (stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, ends_on)
          select 'T15', '${user}', id, 5000000, 0, days, 999999, '2027-01-01' from stake_plan where offered limit 1`,
        `insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
          select current_date, 'stake', id, 0, user_id, 'USD', 'available', 'staked', amount_usd from stake where stake_id = 'T15'`,
      ],
    },
    { aim: 'A rank', what: 'Change a rank', statements: [rank] },
    {
      aim: 'A rank',
      what: 'Approve it in SQL and change it',
      statements: [...forgedDecision(world, { kind: 'promotion', subject: promotion }), rank],
    },
    {
      aim: 'A rank',
      what: 'Record an earlier rank',
      statements: [
        `insert into rank_change (user_id, from_rank, to_rank, reason, made_by, made_at)
          values ('${user}', 'Platinum', 'Silver', 'Any', '${ann}', '2026-01-01')`,
      ],
    },
  ];
}
