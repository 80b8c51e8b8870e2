import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { freePort } from '../../tools/ports.ts';
import { type Cluster, createCluster, runServer } from '../../tools/postgres-cluster.ts';
import type { Machine } from './machine.ts';

export type Server = Awaited<ReturnType<typeof openServer>>;

/** `programs` is the folder of a Debian package; without it, the embedded version is used. */
export type Version = { name: string; programs?: string; canDump: boolean };

/** Opens a PostgreSQL that requires a password for every login and has no roles or databases of ours. */
export async function openServer({ home, own }: Machine, { name, programs }: Version) {
  const folder = own(name.replaceAll(/\W/g, '-'));
  const password = randomBytes(12).toString('hex');
  const port = await freePort();
  const cluster: Cluster = {
    ...home,
    folder,
    data: path.join(folder, 'data'),
    password,
    durable: false,
    ...(programs && { programs, locale: ['--encoding=UTF8', '--locale=C.UTF-8'] }),
  };
  await createCluster(cluster);
  let server = await runServer(cluster, port);
  process.once('exit', () => void server.stop());

  return {
    name,
    port,
    /** A shell function that replaces `sudo`: runs a command as the database administrator of this server. */
    preamble: `sudo() {
      [ "$1 $2" = '-u postgres' ] || return 1
      shift 2
      PGHOST=127.0.0.1 PGPORT=${port} PGUSER=postgres PGPASSWORD=${password} "$@"
    }`,
    async query<R extends pg.QueryResultRow>(text: string, database = 'postgres') {
      const url = `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        return (await client.query<R>(text)).rows;
      } finally {
        await client.end();
      }
    },
    /** Replaces the server by an empty cluster at the same address, as after a lost disk. */
    async replaceByEmpty() {
      await server.stop();
      await rm(cluster.data, { recursive: true, force: true });
      await createCluster(cluster);
      server = await runServer(cluster, port);
    },
    close: () => server.stop(),
  };
}
