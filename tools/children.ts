import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

type Child = { name: string; process: ChildProcess; ended: Promise<void> };

/**
 * Starts processes that live and end together. Each leads its own process group, so that Ctrl-C in a terminal reaches
 * only the parent, which then stops them. `onDeath` is called when one does not start or ends on its own.
 */
export function processGroup(environment: NodeJS.ProcessEnv, onDeath: (reason: string) => void) {
  const children: Child[] = [];
  let stopping = false;

  function start(
    name: string,
    [program, ...parameters]: readonly [string, ...string[]],
    onLine?: (line: string) => void,
  ) {
    const child = spawn(program, parameters, { env: environment, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [readable(child.stdout), child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        console.log(`${name.padEnd(8)}| ${line}`);
        onLine?.(line);
      });
    }
    const ended = new Promise<void>((resolve) => {
      child.once('error', (reason) => {
        onDeath(`${name} did not start: ${reason.message}`);
        resolve();
      });
      child.once('exit', (code, signal) => {
        if (!stopping) onDeath(`${name} ended by itself (${signal ?? `exit code ${code}`}).`);
        resolve();
      });
    });
    children.push({ name, process: child, ended });
  }

  async function stop() {
    stopping = true;
    await Promise.all(children.map(stopChild));
  }

  return { start, stop };
}

/** Pretty-prints log lines; other lines pass through. */
function readable(log: Readable) {
  const flags = ['--translateTime', 'SYS:HH:MM:ss', '--hideObject', '--messageFormat', messageFormat];
  const pretty = spawn('pino-pretty', flags, { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  log.pipe(pretty.stdin);
  return pretty.stdout;
}

const messageFormat =
  '{if job}{job} {end}{msg}{if method} {method} {route} {status} in {ms} ms{end}{if error} {error.message} {error.stack}{end}';

const patience = 10_000;

async function stopChild({ process: child, ended }: Child) {
  if (child.pid === undefined) return;
  const inTime =
    child.kill('SIGTERM') && (await Promise.race([ended.then(() => true), wait(patience, false, { ref: false })]));
  if (!inTime) killGroup(child.pid);
  await ended;
}

/** Kills the whole group, because a watcher that died leaves its process behind. */
function killGroup(leader: number) {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (reason) {
    if (!(reason instanceof Error && 'code' in reason && reason.code === 'ESRCH')) throw reason;
  }
}
