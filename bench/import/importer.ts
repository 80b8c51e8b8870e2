import { sealAuditWith } from '../../server/src/core/audit/key.ts';
import { connect } from '../../server/src/core/db/db.ts';
import { testConfig } from '../../server/src/core/testing/config.ts';
import { importFolder } from '../../server/src/setup/import.ts';

/*
 * Imports in a process that does nothing else, so that its memory can be measured. The message is the folder; the reply
 * has the outcome, the duration, the seconds after which each line was printed, and the peak memory of the process.
 */
const [url = ''] = process.argv.slice(2);
const settings = { url, connections: 4, statementTimeoutMs: 4 * 3_600_000, onLostConnection: () => undefined };
const config = testConfig(url);
sealAuditWith(config.audit.key);

async function run(folder: string) {
  const { database, pool } = connect(settings);
  const started = performance.now();
  const lines: string[] = [];
  const print = (line: string) => lines.push(`${((performance.now() - started) / 1_000).toFixed(1)} s ${line}`);
  const outcome = await importFolder(
    { database, pool, secretsKey: config.secretsKey, print },
    { folder, dryRun: false },
  );
  const ms = performance.now() - started;
  return { outcome, ms, lines, rssMb: process.resourceUsage().maxRSS / 1024 };
}

export type Imported = Awaited<ReturnType<typeof run>>;

process.on('message', (folder: string) => {
  run(folder).then(
    (done) => process.send?.(done),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
