import { connect } from '../../server/src/core/db/db.ts';
import { loadScale } from '../../server/src/seed/load.ts';
import { addAdmin, testServer } from '../../server/src/core/testing/server.ts';
import { cloneTemplate } from '../../server/src/core/testing/template.ts';
import { type Address, openAsking } from './asking.ts';

export type Fixture = Awaited<ReturnType<typeof openFixture>>;

const longestFilling = 4 * 3_600_000;

/** One size: a database with that many users and all that is theirs, and the real server on it, signed in to. */
export async function openFixture(postgresUrl: string, size: number) {
  const { url, drop } = await cloneTemplate(postgresUrl);
  const settings = { url, connections: 2, onLostConnection: () => undefined };
  const { database, pool } = connect({ ...settings, statementTimeoutMs: longestFilling });
  await loadScale({ database, pool }, size);
  await addAdmin(database, { username: 'bench' });
  // What the filling left to be written would otherwise be written while we measure.
  await pool.query('checkpoint');
  const server = await testServer(url);
  let asking: ReturnType<typeof openAsking> | undefined;

  return {
    size,
    url,
    /** A session ends by itself, and the next size may take longer to load than it lasts. */
    async signIn() {
      asking?.close();
      asking = openAsking(server.address, await server.signIn('bench'));
    },
    /** What the server answers, and how long it took until the last byte was here. */
    async ask({ path, query }: Address) {
      if (!asking) throw new Error('Nobody is signed in.');
      return asking.ask(`${path}?${new URLSearchParams(query).toString()}`);
    },
    /** The values by which a row is found again. */
    async rowAt(table: string, column: string, row: number) {
      const { rows } = await pool.query<{ value: string; id: string }>(
        `select ${column}::text as value, id from ${table} order by ${column}, id offset ${row} limit 1`,
      );
      if (!rows[0]) throw new Error(`${table} has no row ${row}.`);
      return [rows[0].value, rows[0].id];
    },
    async [Symbol.asyncDispose]() {
      asking?.close();
      await server[Symbol.asyncDispose]();
      await database.destroy();
      await drop();
    },
  };
}
