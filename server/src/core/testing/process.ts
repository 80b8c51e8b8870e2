import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { testVariables } from './config.ts';

const source = new URL('../../', import.meta.url);
/** Programs start in half the time when the modules that an earlier one compiled are at hand. */
const compileCache = fileURLToPath(new URL('../../../../node_modules/.cache/bursar-compile', import.meta.url));

type Start = {
  program: 'main.ts' | 'worker.ts' | 'cli.ts';
  args?: string[];
  environment: Record<string, string>;
  input?: string;
  /** Where it is started: it reads the settings file of that folder. */
  cwd?: string | undefined;
};

/** A program of the product as its operator starts it: another process, with this environment and no other. */
export function startProgram({ program, args = [], environment, input = '', cwd }: Start) {
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, source)), ...args], {
    env: { NODE_COMPILE_CACHE: compileCache, ...environment },
    cwd,
  });
  child.stdin.end(input);
  // A test that fails before its end would leave it running.
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }));
  return {
    said,
    ended,
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

/** A command that ends by itself. */
export function runCommand(
  url: string,
  args: string[],
  { input = '', changes = {}, cwd }: { input?: string; changes?: Record<string, string>; cwd?: string } = {},
) {
  return startProgram({ program: 'cli.ts', args, environment: testVariables(url, changes), input, cwd }).ended;
}
