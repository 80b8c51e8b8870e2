import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';

/** Anyone can send reports: no more different ones than this are kept. */
const reportsKept = 200;
const reportsShown = 50;

type Violation = { directive: string; blocked: string };

/** Counts a violation. A new kind of violation is dropped if too many others are kept. */
export async function upsertPolicyReport(tx: Tx, { directive, blocked }: Violation) {
  await sql`delete from policy_report where last_at < now() - interval '30 days'`.execute(tx);
  await sql`insert into policy_report (directive, blocked)
    select ${directive}, ${blocked}
    where (select count(*) from policy_report) < ${reportsKept}
      or exists (select from policy_report where directive = ${directive} and blocked = ${blocked})
    on conflict (directive, blocked) do update set reports = policy_report.reports + 1, last_at = now()`.execute(tx);
}

export function selectPolicyReports(db: Db) {
  return db
    .selectFrom('policyReport')
    .select(['directive', 'blocked', 'reports', 'firstAt', 'lastAt'])
    .orderBy('lastAt', 'desc')
    .limit(reportsShown)
    .execute();
}
