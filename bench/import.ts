import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { sealAuditWith } from '../server/src/core/audit/key.ts';
import { connect } from '../server/src/core/db/db.ts';
import { testConfig } from '../server/src/core/testing/config.ts';
import { platformRows, writePlatform } from '../server/src/core/testing/platform.ts';
import { cloneTemplate, prepareTemplate } from '../server/src/core/testing/template.ts';
import { verifyBooks } from '../server/src/verify.ts';
import { startPostgres } from '../tools/postgres.ts';
import { conclude, isFull } from './history/conclude.ts';
import { copyBare, restore } from './import/bare.ts';
import type { Imported } from './import/importer.ts';
import { rounded } from './lists/samples.ts';

/*
 * Imports a platform from its files, and compares that with a bare COPY of all rows that are in the database then, into
 * plain tables with the same primary keys. The import also reads and checks the files, seals keys, posts transfers and
 * builds all indexes. For comparison, the same rows are also restored with all indexes.
 */
const users = isFull ? 1_000_000 : 20_000;
const aim = 1.5;
const largestRssMb = 400;

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres({ memoryMb: Math.round(totalmem() / 1024 ** 2 / 4) });
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);
const { url, drop } = await cloneTemplate(postgres.url);
sealAuditWith(testConfig(url).audit.key);
everything.defer(drop);
const settings = { url, connections: 2, statementTimeoutMs: 4 * 3_600_000, onLostConnection: () => undefined };
const { database, pool } = connect(settings);
everything.defer(() => database.destroy());
const folder = await mkdtemp(path.join(tmpdir(), 'bursar-bench-'));
everything.defer(() => rm(folder, { recursive: true, force: true }));
// PostgreSQL runs as another user, and writes and reads files here.
await chmod(folder, 0o777);

console.error(`writing the files of ${users.toLocaleString('en')} users …`);
await writePlatform(path.join(folder, 'platform'), platformRows(users));

console.error('importing …');
const importer = fork(path.join(import.meta.dirname, 'import', 'importer.ts'), [url]);
importer.send(path.join(folder, 'platform'));
const [done] = (await once(importer, 'message')) as [Imported | { failed: string }];
importer.disconnect();
await once(importer, 'exit');
if ('failed' in done) throw new Error(done.failed);
for (const line of done.lines) console.error(line);

console.error('verifying …');
const { transfers, differences } = await verifyBooks(database);
console.error('copying the same rows …');
const bare = await copyBare(pool, folder);
const restoreMs = await restore(pool, folder);

const rssMb = Math.ceil(done.rssMb);
conclude({
  bench: 'import',
  timings: { ratio: { value: rounded(done.ms / bare.ms), aim, better: 'lower' } },
  faults: [
    ...(done.outcome === 'imported' ? [] : [`the import ended with: ${done.outcome}`]),
    ...differences.map((difference) => JSON.stringify(difference)),
    ...(rssMb <= largestRssMb ? [] : [`${rssMb} MB of memory, ${largestRssMb} allowed`]),
  ],
  details: {
    rssMb,
    users,
    rows: bare.rows,
    transfers: Number(transfers),
    oursMs: Math.round(done.ms),
    bareMs: Math.round(bare.ms),
    restoreMs: Math.round(restoreMs),
    ratioToRestore: rounded(done.ms / restoreMs),
    stages: done.lines,
  },
});
