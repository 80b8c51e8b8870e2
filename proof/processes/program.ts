import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Code } from './code.ts';

export type Start = { code: Code; program: 'main.ts' | 'worker.ts'; environment: Record<string, string> };
export type Program = ReturnType<typeof startProgram>;

const readyText = { 'main.ts': '"listening"', 'worker.ts': '"working"' };
const patienceMs = 60_000;
const rememberedChars = 4_000;

const alive = new Set<ChildProcess>();
/** A proof that fails in the middle would leave them running. */
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** A program of the product as its operator starts it: another process, with nothing but this environment. */
export function startProgram({ code, program, environment }: Start) {
  const startedAt = new Date();
  const child = spawn(process.execPath, [path.join(code.folder, 'server/src', program)], {
    cwd: code.folder,
    env: { ...environment, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  alive.add(child);
  let said = '';
  const isReady = Promise.withResolvers<true>();
  const hear = (text: string) => {
    said = `${said}${text}`.slice(-rememberedChars);
    if (said.includes(readyText[program])) isReady.resolve(true);
  };
  child.stdout.setEncoding('utf8').on('data', hear);
  child.stderr.setEncoding('utf8').on('data', hear);
  const ended = once(child, 'close').then(() => {
    alive.delete(child);
    return undefined;
  });
  return {
    startedAt,
    ended,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** Whether it got so far as to serve or to work; it may be killed before. */
    ready: () => Promise.race([isReady.promise, ended, wait(patienceMs, undefined, { ref: false })]),
    async readyOrThrow() {
      if ((await this.ready()) !== true) throw new Error(`${program} did not start:\n${said}`);
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    /** As when the machine is switched off: it gets to say nothing. */
    kill() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}
