import type { Finding, FindingCode } from 'contract/audit-verification.ts';
import { type RawBuilder, sql } from 'kysely';
import { type Db, runQuery } from '#server/core/db/db.ts';
import { findForgedEvents } from '#server/core/outbox/queries.ts';
import { findUnsealed } from './record-seals.ts';

/** Whether the facts of an audit row about a decision have this key and value. */
const hasFact = (key: string, value: RawBuilder<unknown>) =>
  sql`entry.details::jsonb -> 'facts' @> jsonb_build_array(jsonb_build_object('key', ${key}::text, 'value', ${value}))`;

/** The audit row in which this administrator approved a request of this kind. */
const approvedBy = (admin: RawBuilder<unknown>, kind: string) =>
  sql`entry.action = 'approvals.approve' and entry.actor_id = ${admin} and entry.details::jsonb ->> 'kind' = ${kind}`;

/**
 * Each question returns what has no audit row of its own, although every change is recorded in its own transaction. So
 * somebody wrote to the table without the server, or the row is gone.
 */
const questions: Partial<Record<FindingCode, RawBuilder<{ where: string }>>> = {
  // A request within the limit of its maker, or of the schedule, is approved with the action that it allows.
  'decision-unrecorded': sql<{ where: string }>`
    select item.kind::text || ' ' || item.id::text as where from approval as item
    where item.state in ('approved', 'denied') and not exists (
      select from audit_entry as entry
      where entry.subject_id = item.subject_id::text and case
        when item.state = 'denied' then entry.action = 'approvals.deny' and entry.actor_id = item.decided_by
          and entry.details::jsonb ->> 'digest' = item.digest
        when item.rule in ('second', 'single') then entry.action = 'approvals.approve'
          and entry.actor_id = item.decided_by and entry.details::jsonb ->> 'digest' = item.digest
        else entry.actor_id is not distinct from item.decided_by end
    ) and (item.state = 'denied' or item.rule in ('second', 'single') or not exists (
      select from audit_entry as entry
      where entry.subject_id = item.payload ->> 'userUuid' and entry.actor_id is not distinct from item.decided_by))
    order by item.id`,

  'limit-unrecorded': sql<{ where: string }>`
    select item.kind::text || ' ' || item.asset::text || ', version ' || item.version::text as where from approval_limit as item
    where item.saved_by is not null and not exists (
      select from approval_limit_change as change join audit_entry as entry on entry.subject_id = change.id::text
      where change.kind = item.kind and change.asset = item.asset and ${approvedBy(sql`item.approved_by`, 'limit')}
        and ${hasFact('version', sql`(item.version - 1)::text`)})
    order by 1`,

  // The newest row that says what an administrator may do must agree with what they may do. Accounts that were made
  // outside the panel have no row before their first change.
  'role-unrecorded': sql<{ where: string }>`
    select item.username as where from admin as item
    left join lateral (
      select case entry.action when 'approvals.approve' then fact.value ->> 'value'
          else entry.details::jsonb -> 'after' ->> 'role' end as role,
        case when entry.action <> 'approvals.approve' then entry.details::jsonb -> 'after' ->> 'permissionSet' end
          as permission_set
      from audit_entry as entry
      left join lateral jsonb_array_elements(entry.details::jsonb -> 'facts') as fact
        on entry.action = 'approvals.approve' and fact.value ->> 'key' = 'role'
      where entry.subject_id = item.id::text and (entry.action in ('admins.create', 'admins.change')
        or entry.details::jsonb ->> 'kind' in ('grant', 'demotion') and entry.action = 'approvals.approve'
          and fact.value is not null)
      order by entry.seq desc limit 1
    ) as recorded on true
    where item.retired_at is null and case
      when recorded.role is null then exists (
        select from admin_authority as given
        where given.admin_id = item.id and (given.given_by is not null or given.cause <> 'created'))
      else (recorded.role, recorded.permission_set) is distinct from (item.role::text, item.permission_set::text) end
    order by 1`,

  'deletion-unrecorded': sql<{ where: string }>`
    select item.username as where from admin as item
    where item.retired_at is not null and not exists (
      select from audit_entry as entry
      where entry.subject_id = item.id::text and (entry.action = 'admins.delete'
        or entry.action = 'approvals.approve' and entry.details::jsonb ->> 'kind' = 'removal'))
    order by 1`,

  // A change without an approval can write several versions at once, and its row names the first of them.
  'settings-unrecorded': sql<{ where: string }>`
    select item.job || ', version ' || item.version::text as where from job_settings as item
    where item.saved_by is not null and not exists (
      select from audit_entry as entry
      where item.approved_by is null and entry.action = 'jobs.save' and entry.subject_id = item.job
        and entry.actor_id = item.saved_by and (entry.details::jsonb -> 'after' ->> 'version')::int = (
          select min(version) from job_settings as saved where saved.job = item.job and saved.saved_at = item.saved_at)
    ) and not exists (
      select from job_settings_change as change join audit_entry as entry on entry.subject_id = change.id::text
      where change.job = item.job and ${approvedBy(sql`item.approved_by`, 'settings')}
        and ${hasFact('version', sql`item.version::text`)})
    union all
    select 'withdrawals, version ' || item.version::text from withdrawal_settings as item
    where item.saved_by is not null and not exists (
      select from withdrawal_settings_change as change join audit_entry as entry on entry.subject_id = change.id::text
      where ${approvedBy(sql`item.approved_by`, 'settings')}
        and ${hasFact('version', sql`(item.version - 1)::text`)})
    order by 1`,
};

const namedAtMost = 5;
/** Returns a finding that names the first places. */
export const named = (code: FindingCode, where: string[]): Finding => ({
  code,
  where: where.slice(0, namedAtMost),
  count: where.length,
  since: null,
});

/** Returns each kind of change that has no audit row, with the first of them. */
export async function findUnrecorded(db: Db): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [code, question] of Object.entries(questions)) {
    const rows = await runQuery(db, question);
    if (rows.length === 0) continue;
    findings.push(
      named(
        code as FindingCode,
        rows.map(({ where }) => where),
      ),
    );
  }
  return findings;
}

/** Returns the requests, decisions, rights to approve and events that no process with the key wrote as they are. */
export async function findForged(db: Db): Promise<Finding[]> {
  const decisions = await findUnsealed(db, 'approval');
  const rights = await findUnsealed(db, 'authority');
  const events = await findForgedEvents(db);
  const findings = [
    named('decision-unsealed', decisions),
    named('right-unsealed', rights),
    named('event-unsealed', events),
  ];
  return findings.filter(({ count }) => count > 0);
}
