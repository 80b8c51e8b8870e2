import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

export type PostgresOptions = {
  /** Where the cluster lives on. Without one it is temporary: fast, not durable, deleted when it stops. */
  folder?: string;
  port?: number;
  /** For its buffers, where its own default is too little for what is done with it. */
  memoryMb?: number;
  /** Further settings of the server, each as `name=value`. */
  settings?: readonly string[];
  /** Receives what the server logs. */
  logFile?: string;
};

export type RunningPostgres = { url: string; stop(): Promise<void> };

/** What the keeper answers once, when PostgreSQL accepts connections or cannot. */
export type KeeperAnswer = { url: string; notes: string[] } | { failure: string };

/**
 * The PostgreSQL of DATABASE_URL, else one of our own.
 * Ours runs under a keeper process: a Ctrl-C meant for us does not take the database away from under
 * its clients, and when we die, however suddenly, the keeper notices and stops it.
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
