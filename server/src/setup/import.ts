import { formatProblem, type Problem } from 'contract/imports.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import { withoutIndexes } from '#server/core/db/bulk.ts';
import { copyBatchesInto } from '#server/core/db/copy.ts';
import type { Database, Pool, Tx } from '#server/core/db/db.ts';
import { sealRecords, sealUnsealed } from '#server/core/audit/record-seals.ts';
import { lockUnlessUsed, postOpening } from '#server/core/ledger/opening.ts';
import { checkTogether, findKnownSponsors, hasProblems } from '#server/features/imports/checks.ts';
import { findFiles, type ImportFile } from '#server/features/imports/files.ts';
import { isOfRange, openingMoves, type Range, selectMovedIds } from '#server/features/imports/moves.ts';
import {
  countStaged,
  dropStagingIndexes,
  emptyStaging,
  forgetProblems,
  hasPaidRuns,
  type ImportRow,
  indexStaging,
  insertImport,
  selectImports,
  selectProblems,
  selectRangeEnd,
  type Stage,
  type StoredFile,
  updateFinished,
  updateProgress,
} from '#server/features/imports/queries.ts';
import { compareSums, formatLine, isEqual } from '#server/features/imports/report.ts';
import { stageFile } from '#server/features/imports/stage.ts';
import { insertImportedStakes } from '#server/features/staking/intake.ts';
import { insertImportedTickets } from '#server/features/tickets/intake.ts';
import { foldAllTeamDeltas, insertImportedUsers } from '#server/features/users/intake.ts';
import { sealSecret } from '#server/core/sealed-secret.ts';
import { insertImportedWithdrawals } from '#server/features/withdrawals/intake.ts';

type Deps = {
  /** Connections of the owner of the tables. */
  database: Database;
  pool: Pool;
  secretsKey: Buffer;
  print: (line: string) => void;
  /** For how many users a transaction posts the transfers. By default the first one has most of them. */
  usersAtOnce?: number;
};

type Outcome = 'imported' | 'checked' | 'problems' | 'nothing to do';

/**
 * Imports the files of a folder: stages and checks them, and writes nothing if there is a problem. An import that was
 * interrupted goes on where it was, with the same files only. A dry run ends after the check.
 */
export async function importFolder(
  deps: Deps,
  { folder, dryRun }: { folder: string; dryRun: boolean },
): Promise<Outcome> {
  const files = await findFiles(folder);
  const client = await deps.pool.connect();
  try {
    // The lock belongs to the connection, so it ends with this process however that ends.
    const { rows } = await client.query<{ locked: boolean }>(
      `select pg_try_advisory_lock(hashtext('imports')) as locked`,
    );
    if (!rows[0]?.locked) throw new Error('Another import is running.');
    return await runImport(deps, files, dryRun);
  } finally {
    client.release(true);
  }
}

async function runImport(deps: Deps, files: ImportFile[], dryRun: boolean): Promise<Outcome> {
  const { database, print } = deps;
  const imports = await selectImports(database);
  const same = imports.find((one) => haveSameFiles(one.files, files));
  if (same?.finishedAt) {
    print(`These files were imported at ${same.finishedAt.toISOString()}. There is nothing to do.`);
    return 'nothing to do';
  }
  const unfinished = imports.find(({ finishedAt }) => finishedAt === null);
  if (unfinished) {
    refuseOtherFiles(unfinished, { files, dryRun });
    print(`Going on with the import that started at ${unfinished.startedAt.toISOString()}.`);
    await stageAgain(deps, unfinished, files);
    return finish(deps, unfinished);
  }
  if (await hasPaidRuns(database))
    throw new Error('Bursar has paid runs already. Import a platform before the first run.');
  const staged = await stageAll(deps, files);
  if (await reportProblems(deps, files)) return 'problems';
  if (dryRun) {
    await database.transaction().execute(emptyStaging);
    print('No problems. Nothing was written.');
    return 'checked';
  }
  const started = await database.transaction().execute((tx) => insertImport(tx, staged));
  return finish(deps, started);
}

const haveSameFiles = (stored: readonly StoredFile[], files: readonly ImportFile[]) =>
  stored.length === files.length &&
  stored.every(({ name, sha256 }) => files.some((file) => file.name === name && file.sha256 === sha256));

function refuseOtherFiles(unfinished: ImportRow, { files, dryRun }: { files: ImportFile[]; dryRun: boolean }) {
  if (dryRun) throw new Error('An import is not finished. Finish it before you check other files.');
  if (haveSameFiles(unfinished.files, files)) return;
  const expected = unfinished.files.map(({ name, sha256 }) => `${name} ${sha256}`).join('\n');
  throw new Error(`An import is not finished, and these are not its files. It goes on with:\n${expected}`);
}

/** Copies all files to the staging tables. Returns what to remember of them. */
async function stageAll({ database, pool, secretsKey, print }: Deps, files: readonly ImportFile[]) {
  await database.transaction().execute(async (tx) => {
    await emptyStaging(tx);
    await forgetProblems(tx);
    await dropStagingIndexes(tx);
  });
  const seal = (userId: string, secret: string) =>
    sealSecret(secretsKey, { table: 'user_secret', id: userId, column: 'sol_private_key' }, secret);
  const staged: StoredFile[] = [];
  for (const file of files) {
    const rows = await stageFile({ database, copy: copyBatchesInto(pool), seal }, file);
    staged.push({ name: file.name, sha256: file.sha256, rows });
    print(`${file.name}: ${rows} rows read`);
  }
  await database.transaction().execute(indexStaging);
  return staged;
}

/** After a crash of the database the staging tables are empty. */
async function stageAgain(deps: Deps, { files: stored }: ImportRow, files: readonly ImportFile[]) {
  const counts = await Promise.all(
    files.map(async ({ part, name }) => {
      const rows = await countStaged(deps.database, part);
      return rows === stored.find((file) => file.name === name)?.rows;
    }),
  );
  if (counts.every(Boolean)) return;
  await stageAll(deps, files);
  await deps.database.transaction().execute(findKnownSponsors);
}

const problemsAtOnce = 1_000;

/** Checks the staged rows together, prints all problems, and returns whether there are any. */
async function reportProblems({ database, print }: Deps, files: readonly ImportFile[]) {
  await database.transaction().execute((tx) => checkTogether(tx, files));
  if (!(await hasProblems(database))) return false;
  let count = 0;
  let after: Pick<Problem, 'file' | 'row' | 'field' | 'code'> | undefined;
  for (;;) {
    const page = await selectProblems(database, { after, limit: problemsAtOnce });
    for (const problem of page) print(formatProblem(problem));
    count += page.length;
    after = page.at(-1);
    if (!after) break;
  }
  await database.transaction().execute(async (tx) => {
    await emptyStaging(tx);
    await forgetProblems(tx);
  });
  print(`${count} problems. Nothing was written.`);
  return true;
}

/** Does the next piece of work in the transaction, and returns where the import is then. */
type Step = (
  tx: Tx,
  place: { doneTo: string; usersAtOnce: number | undefined },
) => Promise<Pick<ImportRow, 'stage' | 'doneTo'>>;

const steps: Record<Exclude<Stage, 'report'>, Step> = {
  users: async (tx, { doneTo }) => {
    await insertImportedUsers(tx);
    return { stage: 'money', doneTo };
  },
  money: async (tx, { doneTo, usersAtOnce }) => {
    const isFirst = await lockUnlessUsed(tx);
    const to = await selectRangeEnd(tx, doneTo, usersAtOnce ?? (isFirst ? 1_000_000 : 50_000));
    if (to === undefined) return { stage: 'teams', doneTo };
    const range = { after: doneTo, to };
    const write = async () => {
      await insertImportedStakes(tx, isOfRange(range));
      await insertImportedWithdrawals(tx, isOfRange(range));
      await postOpening(tx, openingMoves(range));
    };
    if (isFirst) await withoutIndexes(tx, ['stake', 'first_stake', 'withdrawal', 'deposit', 'transfer'], write);
    else await write();
    // Before the first range there were no records, so all are ours, and reading them in order is the fastest.
    if (isFirst) await sealUnsealed(tx, ['deposit', 'withdrawal', 'withdrawal-request']);
    else await sealRange(tx, range);
    return { stage: 'money', doneTo: to };
  },
  teams: async (tx, { doneTo }) => {
    await foldAllTeamDeltas(tx);
    return { stage: 'tickets', doneTo };
  },
  tickets: async (tx, { doneTo }) => {
    await insertImportedTickets(tx);
    return { stage: 'report', doneTo };
  },
};

async function sealRange(tx: Tx, range: Range) {
  const { deposits, withdrawals } = await selectMovedIds(tx, range);
  await sealRecords(tx, 'deposit', deposits);
  await sealRecords(tx, 'withdrawal', withdrawals);
  await sealRecords(tx, 'withdrawal-request', withdrawals);
}

async function finish({ database, print, usersAtOnce }: Deps, started: ImportRow): Promise<Outcome> {
  let row = started;
  while (row.stage !== 'report') {
    const step = steps[row.stage];
    const before = row;
    row = await database.transaction().execute(async (tx) => {
      const place = await step(tx, { doneTo: before.doneTo, usersAtOnce });
      await updateProgress(tx, before.id, place);
      return { ...before, ...place };
    });
    if (row.stage !== before.stage) print(`${before.stage}: written`);
  }
  await database.transaction().execute(async (tx) => {
    const report = await compareSums(tx);
    for (const line of report) print(formatLine(line));
    const different = report.filter((line) => !isEqual(line));
    if (different.length > 0) throw new Error('The files and Bursar differ. The import is not finished.');
    await updateFinished(tx, row.id, report);
    await emptyStaging(tx);
    await recordAudit(tx, {
      actorId: null,
      action: 'imports.finish',
      subjectId: row.id,
      details: { files: row.files, report },
    });
  });
  print('Imported. The sums of the files and of Bursar are equal. Now run "npx bursar ledger verify --full".');
  return 'imported';
}
