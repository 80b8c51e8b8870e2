import { connect } from '../../server/src/core/db/db.ts';
import { sealAuditWith } from '../../server/src/core/audit/key.ts';
import { testConfig } from '../../server/src/core/testing/config.ts';
import { loadScale } from '../../server/src/seed/load.ts';
import { addAdmin, testServer } from '../../server/src/core/testing/server.ts';
import { cloneTemplate } from '../../server/src/core/testing/template.ts';
import { type Address, openClient } from './client.ts';

export type Fixture = Awaited<ReturnType<typeof openFixture>>;

const longestFilling = 4 * 3_600_000;

/** Opens a database with `size` users and their data, and the real server on it. Call `signIn` before `ask`. */
export async function openFixture(postgresUrl: string, size: number) {
  const { url, drop } = await cloneTemplate(postgresUrl);
  const settings = { url, connections: 2, onLostConnection: () => undefined };
  const { database, pool } = connect({ ...settings, statementTimeoutMs: longestFilling });
  sealAuditWith(testConfig(url).audit.key);
  await loadScale({ database, pool }, size);
  await addAdmin(database, { username: 'bench' });
  // Flush dirty pages now, or they are written during the measurement.
  await pool.query('checkpoint');
  const server = await testServer(url);
  let client: ReturnType<typeof openClient> | undefined;

  return {
    size,
    url,
    /** Starts a new session: the previous one may expire while the next size loads. */
    async signIn() {
      client?.close();
      client = openClient(server.address, await server.signIn('bench'));
    },
    /** Returns the response and the time until its last byte. */
    async ask({ path, query }: Address) {
      if (!client) throw new Error('Nobody is signed in.');
      return client.ask(`${path}?${new URLSearchParams(query).toString()}`);
    },
    /** Returns the values of a cursor at this row. */
    async rowAt(table: string, column: string, row: number) {
      const { rows } = await pool.query<{ value: string; id: string }>(
        `select ${column}::text as value, id from ${table} order by ${column}, id offset ${row} limit 1`,
      );
      if (!rows[0]) throw new Error(`${table} has no row ${row}.`);
      return [rows[0].value, rows[0].id];
    },
    async [Symbol.asyncDispose]() {
      client?.close();
      await server[Symbol.asyncDispose]();
      await database.destroy();
      await drop();
    },
  };
}
