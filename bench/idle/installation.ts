import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { startProcess } from '../../e2e/environment.ts';
import { testVariables } from '../../server/src/core/testing/config.ts';
import { cloneTemplate } from '../../server/src/core/testing/template.ts';
import { parentOf, processorSecondsOf, withChildren } from './processor.ts';
import { benchName } from './statements.ts';

const longestWarmUpMs = 300_000;

/** Starts the smallest installation: the demo data, one API process and one worker. */
export async function openInstallation(postgresUrl: string) {
  const { url, drop } = await cloneTemplate(postgresUrl);
  const exportFolder = await mkdtemp(path.join(tmpdir(), 'bursar-idle-'));
  const own = testVariables(url, { LOG_LEVEL: 'info', BURSAR_EXPORT_FOLDER: exportFolder });
  const environment = { ...process.env, ...own };
  await promisify(execFile)(process.execPath, ['server/src/cli.ts', 'seed', 'demo'], { env: environment });
  const { api, worker } = await startBoth(environment);
  const client = new pg.Client({ connectionString: url, application_name: benchName });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = await parentOf(rows[0]?.pid);
  return {
    untilQuiet: () => untilQuiet(client),
    async processorSeconds() {
      return {
        api: await processorSecondsOf([api.pid]),
        worker: await processorSecondsOf([worker.pid]),
        postgres: await processorSecondsOf(await withChildren(postmaster)),
      };
    },
    close: async () => {
      await Promise.all([api.stop(), worker.stop()]);
      await client.end();
      await drop();
      await rm(exportFolder, { recursive: true, force: true });
    },
  };
}

async function startBoth(environment: NodeJS.ProcessEnv) {
  const faults: string[] = [];
  // PGAPPNAME applies to connections for which the program sets no application name.
  const named = (name: string) => ({ variables: { ...environment, PGAPPNAME: name }, faults });
  const api = await startProcess('main', {
    ...named('bursar-api'),
    ready: ({ msg, address }) => (msg === 'listening' ? address : undefined),
  });
  const worker = await startProcess('worker', {
    ...named('bursar-worker'),
    ready: ({ msg }) => (msg === 'working' ? msg : undefined),
  });
  return { api, worker };
}

/** Returns when every job that runs each minute has run once and none is waiting or running. */
async function untilQuiet(client: pg.Client) {
  const deadline = performance.now() + longestWarmUpMs;
  while (performance.now() < deadline) {
    const { rows } = await client.query(`
      select from pgboss.schedule where cron = '* * * * *'
        and name not in (select name from pgboss.job where state = 'completed')
      union all select from pgboss.job where state in ('created', 'retry', 'active')`);
    if (rows.length === 0) return;
    await wait(1_000);
  }
  throw new Error(`The jobs of the first minute were not done within ${longestWarmUpMs / 1_000} s.`);
}
