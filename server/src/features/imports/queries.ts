import type { Problem } from 'contract/imports.ts';
import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import type { Part } from './files.ts';

export type StoredFile = { name: string; sha256: string; rows: number };

export type Stage = 'users' | 'money' | 'teams' | 'tickets' | 'report';

export type ImportRow = {
  id: string;
  files: StoredFile[];
  startedAt: Date;
  stage: Stage;
  doneTo: string;
  finishedAt: Date | null;
};

const columns = sql`id, files, started_at as "startedAt", stage, done_to as "doneTo", finished_at as "finishedAt"`;

/** Returns all imports, the newest first. There is one that is not finished at most. */
export const selectImports = (db: Db) =>
  runQuery<ImportRow>(db, sql`select ${columns} from import order by started_at desc, id desc`);

export async function insertImport(tx: Tx, files: readonly StoredFile[]) {
  const [inserted] = await runQuery<ImportRow>(
    tx,
    sql`insert into import (files) values (${JSON.stringify(files)}::jsonb) returning ${columns}`,
  );
  if (!inserted) throw new Error('The import was not stored.');
  return inserted;
}

/** Call it in the transaction that did the work of the stage, so that a stage is done exactly when it says so. */
export async function updateProgress(tx: Tx, id: string, { stage, doneTo }: Pick<ImportRow, 'stage' | 'doneTo'>) {
  await sql`update import set stage = ${stage}, done_to = ${doneTo}::uuid where id = ${id}::uuid`.execute(tx);
}

export async function updateFinished(tx: Tx, id: string, report: unknown) {
  await sql`
    update import set finished_at = clock_timestamp(), report = ${JSON.stringify(report)}::jsonb
    where id = ${id}::uuid`.execute(tx);
}

export async function insertProblems(tx: Tx, problems: readonly Problem[]) {
  await sql`
    insert into import_problem (file, row, field, code, value)
    select * from jsonb_to_recordset(${JSON.stringify(problems)}::jsonb)
      as problem (file text, row bigint, field text, code text, value text)`.execute(tx);
}

type Place = Pick<Problem, 'file' | 'row' | 'field' | 'code'>;

/** Returns the next problems after that one, in the order of the files and rows. */
export const selectProblems = (db: Db, { after, limit }: { after: Place | undefined; limit: number }) =>
  runQuery<Problem>(
    db,
    sql`select distinct on (file, row, field, code) file, row::int, field, code, value from import_problem
      where (file, row, field, code) >
        (${after?.file ?? ''}, ${after?.row ?? 0}, ${after?.field ?? ''}, ${after?.code ?? ''})
      order by file, row, field, code, value limit ${limit}`,
  );

export async function emptyStaging(tx: Tx) {
  await sql`truncate import_user, import_balance, import_stake, import_withdrawal, import_ticket`.execute(tx);
}

export async function forgetProblems(tx: Tx) {
  await sql`truncate import_problem`.execute(tx);
}

/** Builds the indexes that the checks and the stages need, and reads statistics. */
export async function indexStaging(tx: Tx) {
  for (const text of [
    'create index if not exists import_user_by_id on import_user (id)',
    'create index if not exists import_balance_by_owner on import_balance (owner_id)',
    'create index if not exists import_stake_by_owner on import_stake (owner_id)',
    'create index if not exists import_withdrawal_by_owner on import_withdrawal (owner_id)',
    'create index if not exists import_ticket_by_owner on import_ticket (owner_id)',
    'analyze import_user, import_balance, import_stake, import_withdrawal, import_ticket',
  ]) {
    await sql.raw(text).execute(tx);
  }
}

/** An index that exists while rows are copied slows the copying. */
export async function dropStagingIndexes(tx: Tx) {
  await sql`
    drop index if exists import_user_by_id, import_balance_by_owner, import_stake_by_owner, import_withdrawal_by_owner,
      import_ticket_by_owner`.execute(tx);
}

/** The table that the rows of a file are staged in. */
export const staging: Record<Part, string> = {
  users: 'import_user',
  balances: 'import_balance',
  stakes: 'import_stake',
  withdrawals: 'import_withdrawal',
  tickets: 'import_ticket',
};

/** Returns the number of staged rows. It is zero after a crash of the database. */
export async function countStaged(db: Db, part: Part) {
  const [counted] = await runQuery<{ count: bigint }>(db, sql`select count(*) from ${sql.table(staging[part])}`);
  return Number(counted?.count ?? 0n);
}

/** Returns the last user of the next range of users, or undefined if there are none left. */
export async function selectRangeEnd(db: Db, after: string, most: number) {
  const [range] = await runQuery<{ to: string | null }>(
    db,
    sql`select max(id::text)::uuid as to from (
      select id from import_user where id > ${after}::uuid order by id limit ${most}
    ) as next`,
  );
  return range?.to ?? undefined;
}

/** Whether Bursar has paid a run. From then on, everything that runs post has to come from one. */
export async function hasPaidRuns(db: Db) {
  const [found] = await runQuery<{ exists: boolean }>(
    db,
    sql`select exists (select from run where started_at is not null)`,
  );
  return found?.exists ?? false;
}
