import { connect } from '../../server/src/core/db/db.ts';
import { buildExport } from '../../server/src/features/reports/build.ts';

/*
 * Runs the worker's code in a process that does nothing else, so that its memory can be measured. A message is the id
 * of an export; the reply has the duration and the peak memory of the process.
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
