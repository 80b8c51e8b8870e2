import { connect } from '../../server/src/core/db/db.ts';
import { buildExport } from '../../server/src/features/reports/build.ts';

/*
 * The worker's own code in a process that does nothing else, so that its memory can be measured. It is asked with the
 * id of an export, and answers how long the file took and how much memory the process has ever held.
 */
const [url = '', folder = ''] = process.argv.slice(2);
const settings = {
  url,
  role: 'bursar_worker',
  statementTimeoutMs: 600_000,
  onLostConnection: () => undefined,
} as const;
const { database } = connect({ ...settings, connections: 4 });
const { pool } = connect({ ...settings, connections: 2 });

async function build(id: string) {
  const started = performance.now();
  await buildExport({ database, pool, folder }, id, new AbortController().signal);
  return { ms: performance.now() - started, rssMb: process.resourceUsage().maxRSS / 1024 };
}

process.on('message', (id: string) => {
  build(id).then(
    (built) => process.send?.(built),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
