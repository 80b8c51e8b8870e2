import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { copyOut, copyStatement } from '../server/src/core/db/copy.ts';
import { connect } from '../server/src/core/db/db.ts';
import { writtenReport } from '../server/src/features/reports/queries.ts';
import { testConfig } from '../server/src/core/testing/config.ts';
import { addAdmin } from '../server/src/core/testing/server.ts';
import { cloneTemplate, prepareTemplate } from '../server/src/core/testing/template.ts';
import { sealAuditWith } from '../server/src/core/audit/key.ts';
import { startPostgres } from '../tools/postgres.ts';
import { fillWithdrawals } from './export/fill.ts';
import { conclude, isFull } from './history/conclude.ts';
import { rounded, summarize } from './lists/samples.ts';

/* Compares a full report that the worker's code exports with `psql \copy` of the same query, in turns. */
const aim = 0.8;
const largestRssMb = 150;
const rows = isFull ? 1_000_000 : 100_000;
const rounds = 7;
const run = promisify(execFile);

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);
const { url, drop } = await cloneTemplate(postgres.url);
everything.defer(drop);
const settings = { url, connections: 4, statementTimeoutMs: 1_200_000, onLostConnection: () => undefined };
const { database, pool } = connect(settings);
everything.defer(() => database.destroy());
const folder = await mkdtemp(path.join(tmpdir(), 'bursar-bench-'));
everything.defer(() => rm(folder, { recursive: true, force: true }));

console.error(`filling ${rows.toLocaleString('en')} withdrawals …`);
await fillWithdrawals(pool, rows);
sealAuditWith(testConfig(url).audit.key);
const admin = await addAdmin(database, { username: 'bench' });

const exporter = fork(path.join(import.meta.dirname, 'export', 'exporter.ts'), [url, folder]);
everything.defer(async () => {
  exporter.disconnect();
  await once(exporter, 'exit');
});

const { query, quoted } = writtenReport('withdrawal', {});
const copied = { query: query.compile(database), quoted };
const bareFile = path.join(folder, 'bare.csv');
const hasPsql = await run('psql', ['--version']).then(
  () => true,
  () => false,
);

const ours: number[] = [];
const bare: number[] = [];
let rssMb = 0;
console.error(`measuring ${rounds} rounds against ${hasPsql ? 'psql' : 'a bare COPY'} …`);
for (let round = -1; round < rounds; round += 1) {
  const built = await exportOnce();
  const bareMs = await copyBare();
  if (round === -1) await assertSame(built.id);
  await rm(path.join(folder, `${built.id}.csv`));
  rssMb = Math.max(rssMb, built.rssMb);
  if (round < 0) continue;
  ours.push(built.ms);
  bare.push(bareMs);
}
report();

type Built = { ms: number; rssMb: number } | { failed: string };

async function exportOnce() {
  const made = await pool.query<{ id: string }>(
    `insert into report_export (tab, filter, requested_by) values ('withdrawal', '{}', $1) returning id`,
    [admin.id],
  );
  const id = made.rows[0]?.id ?? '';
  exporter.send(id);
  const [built] = (await once(exporter, 'message')) as [Built];
  if ('failed' in built) throw new Error(built.failed);
  return { id, ...built };
}

async function copyBare() {
  const started = performance.now();
  if (hasPsql) {
    const line = copyStatement(copied).replaceAll(/\s+/g, ' ').replace('to stdout', `to '${bareFile}'`);
    await run('psql', [url, '--quiet', '--no-psqlrc', '--command', `\\${line}`]);
  } else {
    const into = createWriteStream(bareFile);
    await copyOut(pool, { ...copied, through: new PassThrough(), into, signal: new AbortController().signal });
  }
  return performance.now() - started;
}

/** Fails unless both files hold the same rows. Ours also has a byte order mark, a header row and CRLF line ends. */
async function assertSame(id: string) {
  const [mine, theirs] = await Promise.all([
    readFile(path.join(folder, `${id}.csv`), 'utf8'),
    readFile(bareFile, 'utf8'),
  ]);
  const plain = mine.slice(mine.indexOf('\n') + 1).replaceAll('\r\n', '\n');
  if (plain !== theirs) throw new Error('The two files hold different rows.');
  const lines = theirs.split('\n').length - 1;
  if (lines !== rows) throw new Error(`${lines} rows were written instead of ${rows}.`);
  console.error(`both files hold the same ${lines.toLocaleString('en')} rows, ${(await stat(bareFile)).size} bytes`);
}

function report() {
  const [mine, theirs] = [summarize(ours), summarize(bare)];
  const ratio = rounded(theirs.p50 / mine.p50);
  console.error(
    `ours ${mine.p50} ms (p5 ${mine.p5}, p95 ${mine.p95}), bare ${theirs.p50} ms (p5 ${theirs.p5}, p95 ${theirs.p95})`,
  );
  conclude({
    bench: 'export',
    timings: { ratio: { value: ratio, aim, better: 'higher' } },
    faults: rssMb < largestRssMb ? [] : [`${rssMb} MB of memory, ${largestRssMb} allowed`],
    details: {
      rssMb: Math.round(rssMb),
      rows,
      oursMs: mine.p50,
      bareMs: theirs.p50,
      against: hasPsql ? 'psql' : 'copy',
    },
  });
}
