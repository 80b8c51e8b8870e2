import type { Log } from './core/log.ts';

type Running = { stop: () => Promise<void> };

const longestStopMs = 25_000;

/** Runs until the process is asked to stop, then lets what is under way finish, but not for ever. */
export async function runUntilStopped(log: Log, start: () => Promise<Running>) {
  // Before the start, because a worker takes tasks while it is still starting.
  const askedToStop = nextStopSignal(log);
  let running: Running;
  try {
    running = await start();
  } catch (error) {
    log.fatal({ error }, 'could not start');
    process.exitCode = 1;
    setTimeout(() => process.exit(), 100).unref();
    return;
  }
  await askedToStop;
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
  let isAsked = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // The signal can come twice, from the supervisor or terminal and from npm, which passes it on. The second one must
    // not end the process in the middle of its work.
    process.on(signal, () => {
      if (isAsked) return;
      isAsked = true;
      log.info('stopping');
      setTimeout(() => process.exit(1), longestStopMs).unref();
      resolve();
    });
  }
  return promise;
}
