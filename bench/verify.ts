import { totalmem } from 'node:os';
import type { Pool } from '../server/src/core/db/db.ts';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { conclude, isFull } from './history/conclude.ts';
import { rounded } from './lists/samples.ts';
import { openLedger } from './verify/fixture.ts';

/*
 * Verifies a ledger in full, pays one day, and verifies that day incrementally. It also measures what a stake of that
 * day adds to the database, for docs/scale.md.
 */
const transfers = isFull ? 10_000_000 : 300_000;
const largestRssMb = 150;
/** The history has ten days, so a verification of one day that read all of it would be no faster than a full one. */
const aim = 3;
const memoryMb = Math.round(totalmem() / 1024 ** 2 / 4);

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres({ memoryMb });
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);
const ledger = everything.use(await openLedger(postgres.url, transfers));

const full = await ledger.verify('full');
console.error(`full: ${JSON.stringify(full)}`);
const before = await sizesOf(ledger.pool);
const stakes = await ledger.payDay();
const after = await sizesOf(ledger.pool);
const incremental = await ledger.verify('incremental');
console.error(`incremental: ${JSON.stringify(incremental)}`);
const verifiedWal = (await sizesOf(ledger.pool)).wal - after.wal;
const again = await ledger.verify('incremental');

const rssMb = Math.ceil(Math.max(full.rssMb, incremental.rssMb));
const posted = Number(after.transfers - before.transfers);
const perPosted = (bytes: bigint) => rounded(Number(bytes) / posted);
const perStake = (bytes: bigint) => rounded(Number(bytes) / stakes);
conclude({
  bench: 'verify',
  timings: { ratio: { value: rounded(full.ms / incremental.ms), aim, better: 'higher' } },
  faults: [
    ...[full, incremental, again].flatMap(({ differences }) => differences.map((it) => JSON.stringify(it))),
    ...(full.form === 'full' && incremental.form === 'incremental' ? [] : ['a verification had the wrong form']),
    ...(incremental.transfers === posted ? [] : [`${incremental.transfers} of ${posted} new transfers were verified`]),
    ...(again.transfers === 0 ? [] : ['verified transfers were verified again']),
    ...(rssMb <= largestRssMb ? [] : [`${rssMb} MB of memory, ${largestRssMb} allowed`]),
  ],
  details: {
    rssMb,
    full: { transfers: full.transfers, seconds: rounded(full.ms / 1_000) },
    incremental: { transfers: incremental.transfers, seconds: rounded(incremental.ms / 1_000) },
    idleMs: Math.round(again.ms),
    bytes: {
      perLine: perStake(after.lineBytes - before.lineBytes),
      perTransfer: perPosted(after.transferBytes - before.transferBytes),
      transfersPerStake: rounded(posted / stakes),
      walPerStake: perStake(after.wal - before.wal),
      walOfVerificationPerStake: perStake(verifiedWal),
    },
  },
});

type Sizes = { transfers: bigint; transferBytes: bigint; lineBytes: bigint; wal: bigint };

/** Returns the size of all transfers and lines with their indexes, and the position in the write-ahead log. */
async function sizesOf(pool: Pool) {
  const { rows } = await pool.query<Sizes>(`
    select (select sum(delta)::bigint from transfer_count) as transfers,
      (select sum(pg_total_relation_size(relid))::bigint from pg_partition_tree('transfer')) as "transferBytes",
      (select sum(pg_total_relation_size(relid))::bigint from pg_partition_tree('run_line')) as "lineBytes",
      pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint as wal`);
  const [sizes] = rows;
  if (!sizes) throw new Error('The sizes could not be read.');
  return sizes;
}
