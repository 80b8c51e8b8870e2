import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { testEnvironment } from '../server/src/testing/config.ts';
import { cloneTemplate } from '../server/src/testing/template.ts';

type Api = { address: string; stop: () => Promise<void> };

/** A database of its own with the demo data, and two server processes behind it as in production. */
export type House = { first: string; second: string; faults: string[] };

export async function openHouse(postgresUrl: string) {
  const { url, drop } = await cloneTemplate(postgresUrl);
  const environment = { ...process.env, ...testEnvironment(url, { LOG_LEVEL: 'info' }) };
  const faults: string[] = [];
  await promisify(execFile)(process.execPath, ['server/src/cli.ts', 'seed', 'demo'], { env: environment });
  const [first, second] = await Promise.all([startApi(environment, faults), startApi(environment, faults)]);
  const house: House = { first: first.address, second: second.address, faults };
  const close = async () => {
    await Promise.all([first.stop(), second.stop()]);
    await drop();
  };
  return { house, close };
}

type LogLine = { level: string; msg: string; address?: string };

async function startApi(environment: NodeJS.ProcessEnv, faults: string[]): Promise<Api> {
  const server = spawn(process.execPath, ['server/src/main.ts'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(server, 'exit');
  const listening = new Promise<string>((resolve, reject) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      const { level, msg, address } = JSON.parse(line) as LogLine;
      if (level === 'error' || level === 'fatal') faults.push(line);
      if (msg === 'listening' && address) resolve(address);
    });
    exited.then(() => reject(new Error(`The server did not start: ${faults.join('\n')}`)), reject);
  });
  const address = await listening;
  const stop = async () => {
    server.kill('SIGTERM');
    await exited;
  };
  return { address, stop };
}
