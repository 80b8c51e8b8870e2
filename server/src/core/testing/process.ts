import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { testVariables } from './config.ts';

const source = new URL('../../', import.meta.url);
/** Programs start in half the time with the modules that an earlier one compiled. */
const compileCache = fileURLToPath(new URL('../../../../node_modules/.cache/bursar-compile', import.meta.url));

type Start = {
  program: 'main.ts' | 'worker.ts' | 'cli.ts';
  args?: string[];
  environment: Record<string, string>;
  input?: string;
  /** The working directory, whose settings file the program reads. */
  cwd?: string | undefined;
};

/** Starts a program as its operator would: as a separate process with only this environment. */
export function startProgram({ program, args = [], environment, input = '', cwd }: Start) {
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, source)), ...args], {
    env: { NODE_COMPILE_CACHE: compileCache, ...environment },
    cwd,
  });
  child.stdin.end(input);
  // Otherwise a test that fails early would leave it running.
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
    /** Ends the process without any cleanup, as a power failure would. */
    kill() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/** Runs a CLI command and returns its exit code and output. */
export function runCommand(
  url: string,
  args: string[],
  { input = '', changes = {}, cwd }: { input?: string; changes?: Record<string, string>; cwd?: string } = {},
) {
  return startProgram({ program: 'cli.ts', args, environment: testVariables(url, changes), input, cwd }).ended;
}
