import type { Weakened } from './tries.ts';

/** Each takes one guard away. An attempt with this aim that was refused or named before must then succeed unnoticed. */
export const mutants: Record<string, Weakened & { aim: string }> = {
  'the API may write the commands of the queue': {
    aim: 'Rights of the owner through the queue',
    statement: 'grant insert on pgboss.bam to bursar_app',
  },
  'the API may change schedules': {
    aim: 'Jobs at other times',
    statement: 'grant select, update on pgboss.schedule to bursar_app',
  },
  'limits need no decision': {
    aim: 'Higher limits',
    statement: 'alter table approval_limit disable trigger approval_limit_is_decided',
  },
  'settings need no decision': {
    aim: 'Higher rewards',
    statement: 'alter table job_settings disable trigger job_settings_are_decided',
  },
  'plans need no decision': {
    aim: 'Higher rates',
    statement: 'alter table stake_plan disable trigger stake_plan_is_decided',
  },
  'stakes need no plan': { aim: 'Higher rates', statement: 'alter table stake disable trigger stake_has_its_plan' },
  'ranks need no decision': { aim: 'A rank', statement: 'alter table platform_user disable trigger rank_is_decided' },
  'roles need no decision': {
    aim: 'Rights of an administrator',
    statement: 'alter table admin disable trigger admin_is_granted',
  },
  'permission sets need no decision': {
    aim: 'Rights of an administrator',
    statement: 'alter table admin disable trigger admin_is_widened_by_somebody',
  },
  'adjustments need no decision': {
    aim: 'An adjustment nobody approved',
    statement: 'alter table adjustment disable trigger adjustment_is_decided',
  },
  'secrets of keys need no decision': {
    aim: 'An API key that moves money',
    statement: 'alter table api_key_secret disable trigger api_key_secret_is_decided',
  },
  'the processes are the owner': {
    aim: 'Higher limits',
    statement: `create or replace function is_owner(table_id oid) returns boolean language sql stable return true`,
  },
  'no request has a seal': { aim: 'A withdrawal nobody requested', withoutSeals: true },
  'nothing has a seal': { aim: 'Money from nowhere', withoutSeals: true },
  'the time of a transfer can be chosen': {
    aim: 'Money from nowhere',
    statement: 'grant insert (at) on transfer to bursar_app',
  },
};
