import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { testVariables } from '../server/src/core/testing/config.ts';
import { liftLimits } from './owner.ts';
import { cloneDemoTemplate, cloneTemplate, prepareDemoTemplate } from '../server/src/core/testing/template.ts';

const compileCache = path.resolve('node_modules/.cache/compiled');

type Api = { address: string; stop: () => Promise<void> };

/** A separate database with the demo data, and two API processes on it, as in production. */
export type Environment = {
  first: string;
  second: string;
  databaseUrl: string;
  faults: string[];
  /** Kills the worker without warning, and returns a function that starts another. */
  killWorker: () => Promise<() => Promise<void>>;
};

async function seedDemo(url: string, ...options: string[]) {
  const env = { ...process.env, ...testVariables(url, {}) };
  await promisify(execFile)(process.execPath, ['server/src/cli.ts', 'seed', 'demo', ...options], { env });
}

/** Prepares the database that most environments clone. It has no runs: tests start the runs that they need. */
export const prepareDemo = (postgresUrl: string) =>
  prepareDemoTemplate(postgresUrl, async (url) => {
    await seedDemo(url, '--without-runs');
    // Tests pay and reverse a day's stakes many times; tests of the limits set their own.
    await liftLimits({ databaseUrl: url });
  });

/** Seeds the demo as a new user sees it, with its month of runs. */
async function seedFullDemo(postgresUrl: string) {
  const database = await cloneTemplate(postgresUrl);
  await seedDemo(database.url);
  return database;
}

export async function openEnvironment(postgresUrl: string, { runs = false } = {}) {
  const { url, drop } = await (runs ? seedFullDemo : cloneDemoTemplate)(postgresUrl);
  const exportFolder = await mkdtemp(path.join(tmpdir(), 'bursar-environment-'));
  const ours = testVariables(url, {
    LOG_LEVEL: 'info',
    BURSAR_EXPORT_FOLDER: exportFolder,
    BURSAR_WEBHOOK_TARGETS: 'local',
  });
  // Sharing compiled code between processes halves the time to import the server.
  const variables = { NODE_COMPILE_CACHE: compileCache, ...process.env, ...ours };
  const faults: string[] = [];
  const startWorker = () =>
    startProcess('worker', { variables, faults, ready: ({ msg }) => (msg === 'working' ? msg : undefined) });
  const [first, second, ...workers] = await Promise.all([
    startApi(variables, faults),
    startApi(variables, faults),
    startWorker(),
  ]);
  const killWorker = async () => {
    await workers.pop()?.kill();
    return async () => void workers.push(await startWorker());
  };
  const environment: Environment = {
    first: first.address,
    second: second.address,
    databaseUrl: url,
    faults,
    killWorker,
  };
  const close = async () => {
    await Promise.all([first, second, ...workers].map(({ stop }) => stop()));
    await drop();
    await rm(exportFolder, { recursive: true, force: true });
  };
  return { environment, close };
}

type LogLine = { level: string; msg: string; address?: string };

async function startApi(variables: NodeJS.ProcessEnv, faults: string[]): Promise<Api> {
  const ready = ({ msg, address }: LogLine) => (msg === 'listening' ? address : undefined);
  const { readyText, stop } = await startProcess('main', { variables, faults, ready });
  return { address: readyText, stop };
}

type Start = {
  variables: NodeJS.ProcessEnv;
  faults: string[];
  /** Returns a text from the log line that says that the process is ready. */
  ready: (line: LogLine) => string | undefined;
};

export async function startProcess(program: 'main' | 'worker', { variables, faults, ready }: Start) {
  const started = spawn(process.execPath, [`server/src/${program}.ts`], {
    env: variables,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(started, 'exit');
  const readyText = await new Promise<string>((resolve, reject) => {
    createInterface({ input: started.stdout }).on('line', (line) => {
      const logLine = JSON.parse(line) as LogLine;
      if (logLine.level === 'error' || logLine.level === 'fatal') faults.push(line);
      const text = ready(logLine);
      if (text) resolve(text);
    });
    exited.then(() => reject(new Error(`${program} did not start: ${faults.join('\n')}`)), reject);
  });
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    started.kill(signal);
    await exited;
  };
  return { pid: started.pid, readyText, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}
