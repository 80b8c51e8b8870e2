import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { demoSignIn } from '../server/src/features/admins/demo.ts';
import { processGroup } from './children.ts';
import { developmentKeys } from './development.ts';
import { freePort } from './ports.ts';
import { startPostgres } from './postgres.ts';

const run = promisify(execFile);
const readyWithin = 90_000;
/** Without runs, yesterday's payout is left for the user of the demo to pay. */
const demoOptions = process.argv.slice(2).filter((option) => option === '--without-runs');

let ready = false;
const leaving = new AbortController();
const leave = (reason: string) => leaving.abort(reason);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => leave(''));

const keys = await developmentKeys('.data/keys');
const postgres = await startPostgres({ folder: '.data/postgres', port: 54_321 }).catch((reason: unknown) => {
  console.error(reason instanceof Error ? reason.message : reason);
  process.exit(1);
});
const apiPort = await freePort(3000);
const panelPort = await freePort(5173);
const environment = {
  ...keys,
  ...process.env,
  DATABASE_URL: postgres.url,
  BURSAR_DATABASE_LOGINS: 'any',
  BURSAR_EXPORT_FOLDER: '.data/exports',
  BURSAR_ARCHIVE_FOLDER: '.data/archive',
  // Receivers of webhooks on this machine work.
  BURSAR_WEBHOOK_TARGETS: 'local',
  // The demo has a single administrator, who can approve their own requests immediately.
  BURSAR_ALONE_AFTER_SECONDS: '0',
  BURSAR_SECOND_FACTOR: 'optional',
  PORT: String(apiPort),
  PANEL_PORT: String(panelPort),
  BURSAR_API: `http://127.0.0.1:${apiPort}`,
};
const processes = processGroup(environment, leave);

try {
  console.log('Preparing the database …');
  await cli('migrate');
  const seeded = await cli('seed', 'demo', ...demoOptions);

  processes.start('api', ['node', '--watch', '--watch-preserve-output', 'server/src/main.ts'], noticeFailure);
  processes.start('worker', ['node', '--watch', '--watch-preserve-output', 'server/src/worker.ts'], noticeFailure);
  processes.start('panel', ['vite', 'panel', '--clearScreen=false']);

  await answers(`http://127.0.0.1:${apiPort}/api/health/ready`);
  await answers(`http://127.0.0.1:${panelPort}/api/health/ready`);
  await answers(`http://127.0.0.1:${panelPort}/`);
  announceReady(`http://localhost:${panelPort}`, seeded);
  if (process.argv.includes('--simulate')) {
    processes.start('platform', ['node', 'simulate/beside.ts', `http://127.0.0.1:${apiPort}`]);
  }
  await gone();
} catch (reason) {
  if (!leaving.signal.aborted) leave(reason instanceof Error ? reason.message : String(reason));
}

await processes.stop();
await postgres.stop();
const stopReason = String(leaving.signal.reason);
console.log(stopReason ? `Stopped: ${stopReason}` : 'Stopped.');
process.exit(stopReason ? 1 : 0);

/** Stops everything when the first start fails; after that, a failure waits for the next edit. */
function noticeFailure(line: string) {
  if (!ready && line.startsWith('Failed running')) leave('The server does not start; its reason is above.');
}

function announceReady(address: string, seeded: string) {
  ready = true;
  const { username, password } = demoSignIn;
  console.log(`\n${seeded}\nBursar is running with reload; Ctrl-C stops it.\n`);
  const demo = !process.env['DATABASE_URL'] || seeded.includes(password);
  console.log(
    `  Address       ${address}\n  Demo sign-in  ${demo ? `${username} / ${password}` : 'none: use your own'}`,
  );
}

async function cli(...command: string[]) {
  const { stdout } = await run('node', ['server/src/cli.ts', ...command], { env: environment, signal: leaving.signal });
  return stdout.trim();
}

async function answers(url: string) {
  const givingUp = AbortSignal.timeout(readyWithin);
  while (!givingUp.aborted) {
    const response = await fetch(url, { signal: AbortSignal.any([givingUp, leaving.signal]) }).catch(() => undefined);
    if (response?.ok) return;
    await wait(200, undefined, { signal: leaving.signal });
  }
  throw new Error(`${url} did not answer within ${readyWithin / 1000} seconds.`);
}

function gone() {
  return new Promise<void>((resolve) => {
    leaving.signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
