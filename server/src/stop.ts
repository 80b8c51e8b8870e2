import type { Log } from './http/log.ts';

type Running = { stop: () => Promise<void> };

/** Runs until the process is asked to stop, then lets what is under way finish, but not for ever. */
export async function runUntilStopped(log: Log, start: () => Promise<Running>) {
  let running: Running;
  try {
    running = await start();
  } catch (error) {
    log.fatal({ error }, 'could not start');
    process.exitCode = 1;
    setTimeout(() => process.exit(), 100).unref();
    return;
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info('stopping');
      setTimeout(() => process.exit(1), 25_000).unref();
      running.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ error }, 'did not stop cleanly');
          process.exit(1);
        },
      );
    });
  }
}
