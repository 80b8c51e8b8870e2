import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

export type PostgresOptions = {
  /** The folder of a persistent cluster. Without one it is temporary: fast, not durable, deleted when it stops. */
  folder?: string;
  port?: number;
  /** The size of `shared_buffers`, if PostgreSQL's default is too small. */
  memoryMb?: number;
  /** Further server settings, each as `name=value`. */
  settings?: readonly string[];
  /** The file that receives the server's log. */
  logFile?: string;
};

export type RunningPostgres = { url: string; stop(): Promise<void> };

/** The keeper's only reply, sent when PostgreSQL accepts connections or has failed to start. */
export type KeeperAnswer = { url: string; notes: string[] } | { failure: string };

/**
 * Returns the PostgreSQL of DATABASE_URL, or starts one; fails if it does not start.
 * Ours runs under a keeper process: Ctrl-C does not stop the database while its clients still use it, and when this
 * process dies, however suddenly, the keeper notices and stops the database.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<RunningPostgres> {
  const given = process.env['DATABASE_URL'];
  if (given) return { url: given, stop: () => Promise.resolve() };

  const keeper = fork(path.join(import.meta.dirname, 'postgres-keeper.ts'), {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(keeper, 'exit');
  keeper.send(options.folder === undefined ? options : { ...options, folder: path.resolve(options.folder) });

  const answer = await Promise.race([
    once(keeper, 'message').then(([message]: KeeperAnswer[]) => message),
    exited.then(() => undefined),
  ]);
  if (!answer || 'failure' in answer) {
    throw new Error(`PostgreSQL did not start. ${answer?.failure ?? 'Its keeper ended without a word.'}`);
  }
  for (const note of answer.notes) console.error(note);
  keeper.unref();
  keeper.channel?.unref();
  return {
    url: answer.url,
    async stop() {
      if (!keeper.connected) return;
      keeper.ref();
      keeper.disconnect();
      await exited;
    },
  };
}
