import { type Attempt, forgedDecision, transfer } from './forged.ts';
import type { World } from './world.ts';

export function money({ user, deposit, cause }: World): Attempt[] {
  const aim = 'Money from nowhere';
  return [
    {
      aim,
      what: 'Add a deposit and its transfer',
      statements: [
        `insert into deposit (id, user_id, asset, units) values ('${cause}', '${user}', 'USD', 5000000)`,
        transfer('deposit', { cause, user }, ['outside', 'available']),
      ],
    },
    {
      aim,
      what: 'Add a deposit with the seal of another',
      statements: [
        `insert into deposit (id, user_id, asset, units) values ('${cause}', '${user}', 'USD', 5000000)`,
        transfer('deposit', { cause, user }, ['outside', 'available']),
        `insert into record_seal select kind, '${cause}', seal from record_seal where record_id = '${deposit}'`,
      ],
    },
    {
      aim,
      what: 'Add a transfer without a deposit',
      statements: [transfer('deposit', { cause, user }, ['outside', 'available'])],
    },
    { aim, what: 'Enlarge a deposit', statements: [`update deposit set units = units * 10 where id = '${deposit}'`] },
    { aim, what: 'Enlarge a transfer', statements: ['update transfer set units = units * 10'] },
    {
      aim,
      what: 'Enlarge the balance of a user',
      statements: ['update user_total set available_usd = available_usd * 10'],
    },
    {
      aim,
      what: 'Pay a reward that no run owes',
      statements: [transfer('stake-base', { cause, user }, ['stake_rewards', 'available'])],
    },
    {
      aim,
      what: 'Pay a reward dated before the first run',
      statements: [
        `insert into transfer (day, at, kind, cause_id, part, user_id, asset, debit, credit, units)
          values ('2026-01-01', '2026-01-01', 'stake-base', '${cause}', 0, '${user}', 'USD', 'stake_rewards', 'available', 1)`,
      ],
    },
    {
      aim,
      what: 'Pay a GMP share that no run owes',
      statements: [transfer('gmp', { cause, user }, ['gmp_pool', 'available']).replace(`'USD'`, `'GMP'`)],
    },
  ];
}

export function payments(world: World): Attempt[] {
  const { user, adjustment, deposit, cause, ann } = world;
  const adjusted = [
    `update adjustment set posted_at = now() where id = '${adjustment}'`,
    transfer('adjustment', { cause: adjustment, user }, ['treasury', 'available']),
  ];
  return [
    {
      aim: 'A payment twice',
      what: 'Post a transfer again',
      statements: [transfer('deposit', { cause: deposit, user }, ['outside', 'available'])],
    },
    {
      aim: 'A payment twice',
      what: 'Post a transfer again as another part',
      statements: [transfer('deposit', { cause: deposit, user, part: 7 }, ['outside', 'available'])],
    },
    { aim: 'A payment twice', what: 'Forget that it was posted', statements: ['delete from transfer_once'] },
    {
      aim: 'An adjustment nobody approved',
      what: 'Add it as posted',
      statements: [
        `insert into adjustment (id, user_id, asset, units, account, other_account, reason, made_by, posted_at)
          values ('${cause}', '${user}', 'USD', 5000000, 'available', 'treasury', 'Any', '${ann}', now())`,
        transfer('adjustment', { cause, user }, ['treasury', 'available']),
      ],
    },
    { aim: 'An adjustment nobody approved', what: 'Post one that waits', statements: adjusted },
    {
      aim: 'An adjustment nobody approved',
      what: 'Approve it in SQL and post it',
      statements: [
        ...forgedDecision(world, { kind: 'adjustment', subject: adjustment, units: '5000000' }),
        ...adjusted,
      ],
    },
  ];
}

export function requests({ user, cause }: World): Attempt[] {
  return [
    {
      aim: 'A withdrawal nobody requested',
      what: 'Request one for a user',
      statements: [
        `insert into withdrawal (id, user_id, amount_usd, wallet, balance_usd, gmp_shares, prev_slx, slx_points)
          values ('${cause}', '${user}', 5000000, 'Mine', 5000000, 0, 0, 0)`,
        transfer('withdrawal', { cause, user }, ['available', 'held']),
      ],
    },
    {
      aim: 'A withdrawal nobody requested',
      what: 'Take the number of another user on the platform',
      statements: [`update platform_user set user_id = user_id || ' ' where id <> '${user}'`],
    },
    {
      aim: 'A withdrawal nobody requested',
      what: 'Tell the platform that it was approved',
      statements: [
        `insert into platform_event (type, subject_id, data, seal)
          values ('withdrawal.approved', '${cause}', '{"amount": "900000.00", "wallet": "Mine"}', sha256('mine'))`,
      ],
    },
  ];
}

export function withdrawals(world: World): Attempt[] {
  const { user, withdrawal, approved, task, ann } = world;
  const decided = `decided_at = now(), decided_by = '${ann}'`;
  return [
    {
      aim: 'A withdrawal nobody approved',
      what: 'Add it as confirmed',
      statements: [
        `insert into withdrawal (user_id, amount_usd, wallet, balance_usd, gmp_shares, prev_slx, slx_points, state)
          values ('${user}', 5000000, 'Mine', 0, 0, 0, 0, 'confirmed')`,
      ],
    },
    {
      aim: 'A withdrawal nobody approved',
      what: 'Approve it',
      statements: [`update withdrawal set state = 'approved', mode = 'manual', ${decided} where id = '${withdrawal}'`],
    },
    {
      aim: 'A withdrawal nobody approved',
      what: 'Approve it in SQL',
      statements: [
        ...forgedDecision(world, { kind: 'withdrawal', subject: withdrawal, units: '5000000' }),
        `update withdrawal set state = 'approved', mode = 'manual', ${decided} where id = '${withdrawal}'`,
      ],
    },
    {
      aim: 'A withdrawal nobody approved',
      what: 'Change its wallet',
      statements: [`update withdrawal set wallet = 'Mine' where id = '${approved}'`],
    },
    {
      aim: 'Another outcome of a withdrawal',
      what: 'Confirm one that was not sent',
      statements: [
        `update withdrawal set state = 'confirmed', reference = 'mine', settled_at = now(), settled_source = 'platform'
          where id = '${approved}'`,
        transfer('withdrawal', { cause: approved, user, part: 1 }, ['held', 'outside']),
      ],
    },
    {
      aim: 'Another outcome of a withdrawal',
      what: 'Make one unknown',
      statements: [
        `update withdrawal set state = 'unknown', unknown_at = now(), unknown_source = 'clock' where id = '${approved}'`,
      ],
    },
    {
      aim: 'A reward nobody approved',
      what: 'Add a task as rewarded',
      statements: [
        `insert into task (user_id, post_url, title, description, reward_usd, deadline, rewarded, rewarded_at)
          values ('${user}', 'https://example.com', 'Any', '', 5000000, '2026-12-24', true, now())`,
      ],
    },
    {
      aim: 'A reward nobody approved',
      what: 'Reward a task',
      statements: [`update task set rewarded = true, rewarded_at = now() where id = '${task}'`],
    },
  ];
}
