import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Code } from './code.ts';

export type Start = {
  code: Code;
  program: 'main.ts' | 'worker.ts';
  environment: Record<string, string>;
  level?: 'info' | 'debug';
  onOutput?: (text: string) => void;
};
export type Program = ReturnType<typeof startProcess>;

type Process = {
  file: string;
  folder: string;
  readyText: string;
  environment: Record<string, string>;
  onOutput?: ((text: string) => void) | undefined;
};

const readyText = { 'main.ts': '"listening"', 'worker.ts': '"working"' };
const patienceMs = 180_000;
const rememberedChars = 4_000;

const alive = new Set<ChildProcess>();
/** Otherwise a proof that fails midway would leave them running. */
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Starts a program of the product as an operator does: as a process with only this environment. */
export const startProgram = ({ code, program, environment, level = 'info', onOutput }: Start) =>
  startProcess({
    file: path.join(code.folder, 'server/src', program),
    folder: code.folder,
    readyText: readyText[program],
    environment: { ...environment, LOG_LEVEL: level },
    onOutput,
  });

/** Starts a process. It is ready when its output contains that text. */
export function startProcess({ file, folder, readyText: text, environment, onOutput }: Process) {
  const startedAt = new Date();
  const child = spawn(process.execPath, [file], { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  alive.add(child);
  let output = '';
  const isReady = Promise.withResolvers<true>();
  const read = (chunk: string) => {
    onOutput?.(chunk);
    output = `${output}${chunk}`.slice(-rememberedChars);
    if (output.includes(text)) isReady.resolve(true);
  };
  child.stdout.setEncoding('utf8').on('data', read);
  child.stderr.setEncoding('utf8').on('data', read);
  const ended = once(child, 'close').then(() => {
    alive.delete(child);
    return undefined;
  });
  return {
    startedAt,
    pid: child.pid,
    ended,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** Resolves to true when it is ready, or to undefined if it ends or times out first. */
    ready: () => Promise.race([isReady.promise, ended, wait(patienceMs, undefined, { ref: false })]),
    async readyOrThrow() {
      if ((await this.ready()) !== true) throw new Error(`${path.basename(file)} did not start:\n${output}`);
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    /** Kills it without warning, as when the machine is switched off. */
    kill() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}
