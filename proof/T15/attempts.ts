import { money, payments, requests, withdrawals } from './attempts-money.ts';
import { decisions, rates, rules } from './attempts-rules.ts';
import { type Attempt, forgedDecision } from './forged.ts';
import type { World } from './world.ts';

export function attemptsIn(world: World): Attempt[] {
  return [
    ...money(world),
    ...payments(world),
    ...requests(world),
    ...withdrawals(world),
    ...decisions(world),
    ...rules(world),
    ...rates(world),
    ...accounts(world),
    ...records(world),
    ...queue(),
  ];
}

function accounts(world: World): Attempt[] {
  const { eve, sue, fay, ann, ben } = world;
  const granted = `update admin set role = 'SuperAdmin', permission_set = null where id = '${eve}'`;
  return [
    {
      aim: 'Rights of an administrator',
      what: 'Add a SuperAdmin',
      statements: [`insert into admin (username, role) values ('mallory', 'SuperAdmin')`],
    },
    { aim: 'Rights of an administrator', what: 'Make an Admin a SuperAdmin', statements: [granted] },
    {
      aim: 'Rights of an administrator',
      what: 'Approve it in SQL and do it',
      statements: [...forgedDecision(world, { kind: 'grant', subject: eve }), granted],
    },
    {
      aim: 'Rights of an administrator',
      what: 'Widen a permission set',
      statements: [`update admin set permission_set = null where id = '${sue}'`],
    },
    {
      aim: 'Rights of an administrator',
      what: 'Confirm an account from the command line',
      statements: [`insert into admin_authority (admin_id, cause) values ('${eve}', 'created')`],
    },
    {
      aim: 'Rights of an administrator',
      what: 'Confirm an account by a request of another',
      statements: [
        ...forgedDecision(world, { kind: 'account', subject: eve }).slice(0, 1),
        `insert into admin_authority (admin_id, cause, given_by, approval_id)
          select '${eve}', 'created', '${ann}', id from approval where kind = 'account' and subject_id = '${eve}'`,
      ],
    },
    {
      aim: 'Rights of an administrator',
      what: 'Delete the other approvers',
      statements: [`update admin set retired_at = now() where id = '${fay}'`],
    },
    {
      aim: 'Rights of an administrator',
      what: 'Delete an account that may not approve',
      statements: [`update admin set retired_at = now() where id = '${sue}'`],
    },
    {
      aim: 'Rights of an administrator',
      what: 'Delete an approver after making the password temporary',
      statements: [
        `update admin_credential set temporary = true where admin_id = '${fay}'`,
        `update admin set retired_at = now() where id = '${fay}'`,
      ],
    },
    {
      aim: 'Rights of an administrator',
      what: 'Take the role of a SuperAdmin',
      statements: [`update admin set role = 'Admin' where id = '${ben}'`],
    },
  ];
}

function records({ ann, deposit, user, cause }: World): Attempt[] {
  const aim = 'Records of what happened';
  return [
    { aim, what: 'Change a row of the audit log', statements: [`update audit_entry set details = '{}'`] },
    { aim, what: 'Delete rows of the audit log', statements: ['delete from audit_entry'] },
    {
      aim,
      what: 'Add a row to the audit log',
      statements: [
        `insert into audit_entry (seq, at, actor_id, action, details, seal)
          select coalesce(max(seq), 0) + 1, now(), '${ann}', 'tickets.create', '{}', sha256('any') from audit_entry`,
      ],
    },
    {
      aim,
      what: 'End a verification with an infinite time',
      statements: [
        `insert into deposit (id, user_id, asset, units, recorded_at) values ('${cause}', '${user}', 'USD', 1, 'infinity')`,
      ],
    },
    { aim, what: 'Delete a seal', statements: [`delete from record_seal where record_id = '${deposit}'`] },
    { aim, what: 'Say that records are still to be sealed', statements: ['delete from record_sealing'] },
    {
      aim,
      what: 'Say that the ledger was verified',
      statements: ['update ledger_verification set differences = null'],
    },
    { aim, what: 'Repeat the answer of another call', statements: [`update answered_call set answer = '{}'`] },
  ];
}

function queue(): Attempt[] {
  const aim = 'Rights of the owner through the queue';
  return [
    {
      aim,
      what: 'Plant SQL for the next migration',
      statements: [
        `insert into pgboss.bam (name, version, table_name, command) values ('x', 1, 'job_common', 'alter role current_user superuser')`,
      ],
    },
    { aim, what: 'Let pg-boss migrate again', statements: ['update pgboss.version set version = 25'] },
    {
      aim,
      what: 'Give a queue a table of its own',
      statements: [`update pgboss.queue set partition = true, table_name = 'bam'`],
    },
    {
      aim: 'Jobs at other times',
      what: 'Change the schedule of a job',
      statements: [`update pgboss.schedule set cron = '* * * * *'`],
      harmless: 'the next worker restores it, and a job decides by the records what is due',
    },
    {
      aim: 'Jobs at other times',
      what: 'Add a schedule',
      statements: [
        `insert into pgboss.schedule (name, key, cron) select name, 'mine', '* * * * *' from pgboss.queue limit 1`,
      ],
      harmless: 'the next worker removes it, and a job decides by the records what is due',
    },
    {
      aim: 'Jobs at other times',
      what: 'Delete what is to be done',
      statements: ['delete from pgboss.job_common'],
      harmless: 'jobs run again by their schedule, and the worker enqueues again what is unfinished',
    },
  ];
}
