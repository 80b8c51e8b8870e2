import type { Log } from './core/log.ts';

type Running = { stop: () => Promise<void> };

const longestStopMs = 25_000;

/** Runs until SIGTERM or SIGINT, then shuts down: work in progress may finish, for at most `longestStopMs`. */
export async function runUntilStopped(log: Log, start: () => Promise<Running>) {
  // Registered before the start, because a worker processes tasks while it is still starting.
  const stopSignal = nextStopSignal(log);
  let running: Running;
  try {
    running = await start();
  } catch (error) {
    log.fatal({ error }, 'could not start');
    process.exitCode = 1;
    setTimeout(() => process.exit(), 100).unref();
    return;
  }
  await stopSignal;
  try {
    await running.stop();
    process.exit(0);
  } catch (error) {
    log.error({ error }, 'did not stop cleanly');
    process.exit(1);
  }
}

function nextStopSignal(log: Log) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // The signal can arrive twice: from the supervisor or terminal, and from npm, which forwards it. The second one
    // must not kill the process during its work.
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      log.info('stopping');
      setTimeout(() => process.exit(1), longestStopMs).unref();
      resolve();
    });
  }
  return promise;
}
