import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Tx } from '#server/core/db/db.ts';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf, verifyBooks } from '#server/core/testing/ledger.ts';
import { runsOf, setRunLimit } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { addUser } from '#server/core/testing/user.ts';
import { planManually } from '../planning/create.ts';
import { replanUser } from '../planning/replan.ts';
import { explainTransfer } from '../reading/payments.ts';
import { readRun } from '../reading/detail.ts';
import { listUserPayments } from '../reading/user-payments.ts';
import { archiveLines, verifyArchives } from './archive.ts';

const longAgo = new Date('2026-03-11T12:00:00Z');
const inTwoYears = new Date(Date.now() + 2 * 365 * 86_400_000);
const never = new AbortController().signal;

let db: TestDatabase;
let runs: ReturnType<typeof runsOf>;
let folder: string;
let userId: string;
/** A run of this time pays the last day of the oldest partition, so that no earlier day is left to pay. */
let now: Date;
let lastDay: string;
beforeEach(async () => {
  db = await testDatabase();
  runs = runsOf(db);
  folder = db.config.archive.folder;
  await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 15n);
  await setRunLimit(db.owner, 10n ** 15n);
  await runs.save('stake-payout', { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 });
  const { rows } = await sql<{ until: string }>`select min(until)::text as until from run_line_part`.execute(db.owner);
  now = new Date(`${rows[0]?.until}T12:00:00Z`);
  lastDay = new Date(now.getTime() - 86_400_000).toISOString().slice(0, 10);
  ({ id: userId } = await addUser(db.owner));
  await addStake(db.owner, { userId, units: 1_000_000_000n, days: 9, placedOn: '2026-03-01' });
  await addStake(db.owner, { userId, units: 3_000_000_000n, days: 3_000, placedOn: '2026-03-01' });
  return async () => {
    await rm(folder, { recursive: true, force: true });
    await db[Symbol.asyncDispose]();
  };
});

const anyAdmin = async () =>
  (await db.owner.selectFrom('admin').select(['id', 'username']).executeTakeFirstOrThrow()) as Actor;

async function pay(id: string) {
  await runs.plan(id);
  expect(await runs.start(id)).toBeUndefined();
  return runs.pay(id);
}

const archive = (at = inTwoYears) =>
  archiveLines({ database: db.worker, pool: db.ownerPool, folder, keepMonths: 13 }, at, never);

const files = () =>
  sql<{ file: string; lines: bigint }>`
  select file, lines from run_line_archive where lines > 0 order by until`
    .execute(db.owner)
    .then(({ rows }) => rows);

const linesLeft = async () =>
  Number((await sql<{ count: bigint }>`select count(*) from run_line`.execute(db.owner)).rows[0]?.count);

async function paidAndArchived() {
  const paid = await pay((await runs.create('stake-payout', now)).id);
  const back = await runs.reverse(paid.id, userId);
  await runs.start(back.id);
  await runs.pay(back.id);
  await archive();
  return paid;
}

test('the lines of old runs are in a file, and the ledger still proves what was paid', async () => {
  const paid = await paidAndArchived();
  expect(await linesLeft()).toBe(0);
  const [{ file, lines } = { file: '', lines: 0n }] = await files();
  expect(lines).toBe(4n);
  const [head, ...written] = gunzipSync(readFileSync(path.join(folder, file)))
    .toString()
    .trim()
    .split('\n');
  expect(head).toMatch(/^run_id,day,user_id,cause_id,part,input,/);
  expect(written).toHaveLength(4);
  expect(written.filter((line) => line.startsWith(`${paid.id},${lastDay},${userId},`))).toHaveLength(2);
  await ledgerOf(db).expectSound();
  expect(await verifyArchives(db.database, folder)).toMatchObject({ damaged: [] });
});

test('a transfer that was forged for an archived day is found', async () => {
  await paidAndArchived();
  await sql`insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
    values ('2026-03-10', 'stake-base', gen_random_uuid(), 0, ${userId}::uuid, 'USD', 'stake_rewards', 'available', 5)`.execute(
    db.owner,
  );
  const verdict = await verifyBooks(db.database);
  expect(verdict).toMatchObject({ sound: false });
  expect('faults' in verdict && verdict.faults.join('\n')).toContain('2026-03-10 stake-base');
});

test('an archived run is shown with its file, and its period can be neither reversed nor paid again', async () => {
  const paid = await paidAndArchived();
  const [{ file } = { file: '' }] = await files();
  expect(await readRun(db.database, paid.id, { id: paid.id })).toMatchObject({ archive: { file }, largest: [] });
  expect(await listUserPayments(db.database, { user: userId })).toMatchObject({
    payments: [],
    archivedBefore: expect.stringMatching(/^\d{4}-\d\d-01$/),
  });
  const { rows } = await sql<{ id: string }>`
    select concat(to_char(day, 'YYYYMMDD'), '-', id) as id from transfer where kind = 'stake-base' limit 1`.execute(
    db.owner,
  );
  expect(await explainTransfer(db.database, rows[0]?.id ?? '')).toMatchObject({ why: null, archive: { file } });
  await expect(runs.reverse(paid.id)).rejects.toThrow('LinesArchived');
  const again = { actor: await anyAdmin(), enqueue: async () => undefined, id: paid.id };
  const call = (plan: (tx: Tx) => Promise<unknown>) => db.database.transaction().execute(plan);
  await expect(call((tx) => replanUser(tx, { ...again, user: userId }))).rejects.toThrow('LinesArchived');
  await expect(
    call((tx) => planManually(tx, { ...again, kind: 'gmp-distro', now: new Date(), at: longAgo })),
  ).rejects.toThrow('LinesArchived');
});

test('lines stay while a run of their days is open or has ended recently', async () => {
  const { id } = await runs.create('stake-payout', now);
  await runs.plan(id);
  await archive();
  expect(await linesLeft()).toBe(2);
  await runs.start(id);
  await runs.pay(id);
  await archive(new Date());
  expect(await linesLeft()).toBe(2);
  await archive();
  expect(await linesLeft()).toBe(0);
});

test('lines stay while an earlier day is still to be paid, because an archived day cannot be paid', async () => {
  await pay((await runs.create('stake-payout', longAgo)).id);
  await archive();
  expect(await linesLeft()).toBe(2);
  expect(await files()).toEqual([]);
});

test('an archive that was interrupted is written again, and nothing is dropped before its file is complete', async () => {
  const paid = await pay((await runs.create('stake-payout', now)).id);
  await sql`create function die() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`.execute(
    db.owner,
  );
  await sql`create trigger die before update on run_line_archive for each row execute function die()`.execute(db.owner);
  await expect(archive()).rejects.toThrow('killed');
  expect(await linesLeft()).toBe(2);
  await expect(runs.reverse(paid.id)).rejects.toThrow('LinesArchived');
  await sql`drop trigger die on run_line_archive`.execute(db.owner);
  await archive();
  expect(await linesLeft()).toBe(0);
  expect(await files()).toMatchObject([{ lines: 2n }]);
});

test('a file that was changed or is missing is reported', async () => {
  await paidAndArchived();
  const [{ file } = { file: '' }] = await files();
  await writeFile(path.join(folder, file), 'changed');
  expect(await verifyArchives(db.database, folder)).toMatchObject({ damaged: [file] });
  await rm(path.join(folder, file));
  expect(await verifyArchives(db.database, folder)).toMatchObject({ damaged: [file] });
});

test('the worker cannot drop lines that are not archived', async () => {
  await pay((await runs.create('stake-payout', now)).id);
  const { rows } = await sql<{ until: string }>`select until::text from run_line_part order by until limit 1`.execute(
    db.owner,
  );
  await expect(sql`select drop_archived_lines(${rows[0]?.until}::date)`.execute(db.worker)).rejects.toMatchObject({
    code: 'BU002',
  });
  await expect(sql`truncate run_line`.execute(db.worker)).rejects.toThrow('permission denied');
});
