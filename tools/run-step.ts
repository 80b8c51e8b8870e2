import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Step } from './steps.ts';

export type Outcome = { step: Step; passed: number; failed: number; seconds: number; output: string };

export async function runStep(step: Step, cwd: string): Promise<Outcome> {
  const started = performance.now();
  const folder = await mkdtemp(path.join(tmpdir(), 'bursar-step-'));
  const countFile = path.join(folder, 'count.json');
  const [program, ...given] = step.command;
  const reporting = ['--reporter=default', '--reporter=json', `--outputFile.json=${countFile}`];
  const { code, output } = await run([program, ...given, ...(step.countsTests ? reporting : [])], cwd);
  const count = step.countsTests ? await readCount(countFile) : undefined;
  await rm(folder, { recursive: true, force: true });

  const passed = count?.numPassedTests ?? (code === 0 ? 1 : 0);
  // A run can fail without a failed test: a file that does not load, or an error after the last one.
  const failed = Math.max(count?.numFailedTests ?? 0, code === 0 ? 0 : 1);
  return { step, passed, failed, output, seconds: (performance.now() - started) / 1000 };
}

function run([program, ...parameters]: readonly [string, ...string[]], cwd: string) {
  // The programs of this tree come first, no matter how this process was started.
  const environment = { ...process.env, PATH: `${path.join(cwd, 'node_modules/.bin')}:${process.env['PATH']}` };
  const child = spawn(program, parameters, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise<{ code: number | null; output: string }>((resolve) => {
    child.once('error', (reason) => resolve({ code: 1, output: reason.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}

async function readCount(file: string) {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as { numPassedTests: number; numFailedTests: number });
}
