import type { Correction, Finding, FindingKind, TreeReport } from 'contract/referrals.ts';
import { type RawBuilder, sql } from 'kysely';
import { runQuery, type Db, type Tx } from '#server/core/db/db.ts';
import type { Found } from './find-queries.ts';

type Figures = Record<'referrals' | 'network' | 'sol' | 'usd', bigint>;
export type Wrong = Figures & { users: bigint };

type ReportRow = Pick<
  TreeReport,
  'id' | 'requestedBy' | 'requestedAt' | 'state' | 'why' | 'progress' | 'at' | 'digest'
> & {
  users: bigint;
  found: Partial<Record<FindingKind, number>>;
  wrongUsers: bigint;
  wrongReferrals: bigint;
  wrongNetwork: bigint;
  wrongSol: bigint;
  wrongUsd: bigint;
  repairStartedAt: Date | null;
  repairedAt: Date | null;
  repairedTo: string | null;
  request: { id: string; requestedBy: string; decidedBy: string | null } | null;
};

/** Reports with the approval request of their repair, if it is waiting or approved. */
const reports = sql`
  select report.id, asker.username as "requestedBy", report.requested_at as "requestedAt", report.state, report.why,
    report.progress, report.at, report.digest, report.users, report.found, report.wrong_users as "wrongUsers",
    report.wrong_referrals as "wrongReferrals", report.wrong_network as "wrongNetwork", report.wrong_sol as "wrongSol",
    report.wrong_usd as "wrongUsd", report.repair_started_at as "repairStartedAt", report.repaired_at as "repairedAt",
    report.repaired_to as "repairedTo", (
      select jsonb_build_object('id', approval.id, 'requestedBy', theirs.username, 'decidedBy', decider.username)
      from approval join admin as theirs on theirs.id = approval.requested_by
      left join admin as decider on decider.id = approval.decided_by
      where approval.subject_id = report.id and approval.kind = 'repair'
        and (approval.state = 'approved' or approval.state = 'waiting' and approval.expires_at > now())
    ) as request
  from referral_report as report join admin as asker on asker.id = report.requested_by`;

async function selectOne(db: Db, which: RawBuilder<unknown>) {
  const [row] = await runQuery<ReportRow>(db, sql`${reports} ${which}`);
  return row && shown(row);
}

export const selectReport = (db: Db, id: string) => selectOne(db, sql`where report.id = ${id}::uuid`);

const newestFirst = sql`order by report.requested_at desc, report.id desc limit 1`;

export const selectNewest = (db: Db) => selectOne(db, newestFirst);

export const selectNewestFinished = (db: Db) => selectOne(db, sql`where report.state = 'done' ${newestFirst}`);

function shown({ found, users, request, repairStartedAt, repairedAt, ...row }: ReportRow): TreeReport & Repaired {
  const { wrongUsers, wrongReferrals, wrongNetwork, wrongSol, wrongUsd, ...report } = row;
  const state = repairedAt ? 'repaired' : repairStartedAt ? 'repairing' : 'requested';
  return {
    ...report,
    users: Number(users),
    found: { ...nothingFound, ...found },
    wrong: {
      users: Number(wrongUsers),
      referralCount: Number(wrongReferrals),
      totalNetwork: Number(wrongNetwork),
      totalTeamVolumeSOL: Number(wrongSol),
      totalTeamVolumeUSD: Number(wrongUsd),
    },
    repair: request && {
      state,
      request: request.id,
      requestedBy: request.requestedBy,
      approvedBy: request.decidedBy,
      endedAt: repairedAt,
    },
  };
}

type Repaired = { repairedTo: string | null };

const nothingFound: Record<FindingKind, number> = {
  'self-referral': 0,
  circle: 0,
  'missing-sponsor': 0,
  'blacklisted-sponsor': 0,
  'shared-wallet': 0,
};

export async function insertReport(tx: Tx, requestedBy: string) {
  return (await tx.insertInto('referralReport').values({ requestedBy }).returning('id').executeTakeFirstOrThrow()).id;
}

export async function lockReport(tx: Tx, id: string) {
  const one = tx.selectFrom('referralReport').select('id').where('id', '=', id).forUpdate();
  return (await one.executeTakeFirst()) && selectReport(tx, id);
}

/** Tries to lock a report for one process and returns the time. The lock ends with the transaction, however it ends. */
export async function holdReport(tx: Tx, id: string) {
  const [held] = await runQuery<{ held: boolean; at: Date }>(
    tx,
    sql`select pg_try_advisory_xact_lock(hashtext(${`referrals.check ${id}`})) as held, now() as at`,
  );
  return held?.held ? held.at : undefined;
}

export async function updateProgress(tx: Tx, id: string, progress: number) {
  const running = tx.updateTable('referralReport').set({ state: 'running', progress }).where('id', '=', id);
  await running.where('state', 'in', ['waiting', 'running']).execute();
}

type Finished = { at: Date; users: bigint; found: Map<FindingKind, number>; wrong: Wrong; digest: string };

export async function updateDone(tx: Tx, id: string, { at, users, found, wrong, digest }: Finished) {
  await tx
    .updateTable('referralReport')
    .set({
      state: 'done',
      progress: 100,
      at,
      endedAt: sql`now()`,
      users,
      found: JSON.stringify(Object.fromEntries(found)),
      wrongUsers: wrong.users,
      wrongReferrals: wrong.referrals,
      wrongNetwork: wrong.network,
      wrongSol: wrong.sol,
      wrongUsd: wrong.usd,
      digest,
    })
    .where('id', '=', id)
    .execute();
}

export async function updateFailed(tx: Tx, id: string, why: string) {
  const under = tx.updateTable('referralReport').set({ state: 'failed', why, endedAt: sql`now()` });
  await under.where('id', '=', id).where('state', 'in', ['waiting', 'running']).execute();
}

/** Stores findings under their numbers. The caller passes only those that are listed. */
export async function insertFindings(tx: Tx, reportId: string, found: readonly (Found & { no: number })[]) {
  if (found.length === 0) return;
  const rows = found.map(({ kind, no, users, size, wallet }) => ({ reportId, kind, no, users, size, wallet }));
  await tx.insertInto('referralFinding').values(rows).execute();
}

const deletedAtOnce = 10_000;

/** Deletes some findings and corrections of a report. Returns whether there were any. */
export async function deleteSomeOf(tx: Tx, reportId: string) {
  const { rows } = await sql`
    with findings as (delete from referral_finding where report_id = ${reportId}::uuid returning 1 as one),
    corrections as (
      delete from referral_correction where report_id = ${reportId}::uuid and user_id in (
        select user_id from referral_correction where report_id = ${reportId}::uuid limit ${sql.lit(deletedAtOnce)}
      ) returning 1 as one
    )
    select one from findings union all select one from corrections`.execute(tx);
  return rows.length > 0;
}

/** Returns the older reports with findings or corrections whose repair was never started. */
export async function selectOutdated(db: Db, newest: string) {
  const found = await runQuery<{ id: string }>(
    db,
    sql`select id from referral_report where id <> ${newest}::uuid and repair_started_at is null and (
      exists (select from referral_finding where report_id = referral_report.id)
      or exists (select from referral_correction where report_id = referral_report.id))`,
  );
  return found.map(({ id }) => id);
}

const listedAtOnce = 50;

const user = (row: string) => sql`jsonb_build_object('id', ${sql.ref(`${row}.id`)}, 'userId',
  ${sql.ref(`${row}.user_id`)}, 'username', ${sql.ref(`${row}.username`)}, 'isDeleted',
  ${sql.ref(`${row}.retired_at`)} is not null)`;

type Page<R, K> = { rows: R[]; next: K | null };

/** Cuts the rows to a page. The query reads one row more, which tells whether there is a next page. */
function cut<R, K>(rows: R[], key: (row: R) => K): Page<R, K> {
  const page = rows.slice(0, listedAtOnce);
  const last = page.at(-1);
  return { rows: page, next: rows.length > listedAtOnce && last ? key(last) : null };
}

type FindingQuery = { id: string; kind: FindingKind; after: number };

export async function selectFindings(db: Db, { id, kind, after }: FindingQuery) {
  const rows = await runQuery<Omit<Finding, 'size'> & { size: bigint }>(
    db,
    sql`
    select finding.no, finding.size, finding.wallet, (
      select coalesce(jsonb_agg(${user('one')} order by named.place), '[]')
      from unnest(finding.users) with ordinality as named (id, place) join platform_user as one on one.id = named.id
    ) as users
    from referral_finding as finding
    where finding.report_id = ${id}::uuid and finding.kind = ${sql.lit(kind)} and finding.no > ${after}
    order by finding.no limit ${sql.lit(listedAtOnce + 1)}`,
  );
  return cut(rows, ({ no }) => no);
}

type CorrectionRow = { user: Correction['user'] } & Record<`${'stored' | 'tree'}_${keyof Figures}`, bigint>;

export async function selectCorrections(db: Db, { id, after }: { id: string; after: string }) {
  const rows = await runQuery<CorrectionRow>(
    db,
    sql`
    select ${user('one')} as user, stored_referrals, tree_referrals, stored_network, tree_network, stored_sol,
      tree_sol, stored_usd, tree_usd
    from referral_correction as wrong join platform_user as one on one.id = wrong.user_id
    where wrong.report_id = ${id}::uuid and wrong.user_id > ${after}::uuid
    order by wrong.user_id limit ${sql.lit(listedAtOnce + 1)}`,
  );
  return cut(rows, ({ user }) => user.id);
}

type Started = { requestedBy: string; decidedBy: string };

export async function updateRepairStarted(tx: Tx, id: string, { requestedBy, decidedBy }: Started) {
  const started = { repairRequestedBy: requestedBy, repairApprovedBy: decidedBy, repairStartedAt: sql<Date>`now()` };
  await tx.updateTable('referralReport').set(started).where('id', '=', id).execute();
}

export async function updateRepaired(tx: Tx, id: string, to: string | undefined) {
  const further = to === undefined ? { repairedAt: sql<Date>`now()` } : { repairedTo: to };
  await tx.updateTable('referralReport').set(further).where('id', '=', id).execute();
}
