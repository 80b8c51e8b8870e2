import { Agent, get } from 'node:http';
import { connect, type Pool } from '../../server/src/db/db.ts';
import { addAdmin, testServer } from '../../server/src/testing/server.ts';
import { cloneTemplate } from '../../server/src/testing/template.ts';
import { listTickets } from '../../server/src/tickets/service.ts';
import { fillTickets } from './fill.ts';

export type Asked = Parameters<typeof listTickets>[1];
type Listed = Awaited<ReturnType<typeof listTickets>>;
export type Statement = { text: string; values: unknown[] };
export type Site = Awaited<ReturnType<typeof openSite>>;

const longestFilling = 20 * 60_000;

/** One size: a database with that many tickets, and the real server on it, signed in to. */
export async function openSite(postgresUrl: string, size: number) {
  const { url, drop } = await cloneTemplate(postgresUrl);
  const settings = { url, connections: 2, onLostConnection: () => undefined };
  const owner = connect({ ...settings, statementTimeoutMs: longestFilling });
  await fillTickets(owner, size);
  await addAdmin(owner.database, { username: 'bench' });
  await owner.database.destroy();

  const { database, pool } = connect({ ...settings, role: 'bursar_app', statementTimeoutMs: 5_000 });
  const sent = recordStatements(pool);
  const server = await testServer(url);
  const token = await server.signIn('bench');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  return {
    size,
    /** What the server answers, and how long it took until the last byte was here. */
    async ask(asked: Asked) {
      const options = { agent, headers: { authorization: `Bearer ${token}` } };
      const started = performance.now();
      const { status, text } = await fetchText(`${server.address}${pathOf(asked)}`, options);
      const ms = performance.now() - started;
      if (status !== 200) throw new Error(`${pathOf(asked)} was answered with ${status}: ${text}`);
      return { ms, text };
    },
    /** The statements that our own code sends for it. */
    async statementsOf(asked: Asked): Promise<Statement[]> {
      sent.length = 0;
      await listTickets(database, asked);
      return [...sent];
    },
    /** The same statements and nothing around them. */
    async askBare(statements: Statement[]) {
      const started = performance.now();
      for (const statement of statements) await pool.query({ ...statement, rowMode: 'array' });
      return performance.now() - started;
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await server[Symbol.asyncDispose]();
      await database.destroy();
      await drop();
    },
  };
}

export function readAnswer(text: string) {
  return JSON.parse(text) as Pick<Listed, 'nextCursor' | 'total'> & { tickets: unknown[] };
}

function pathOf(asked: Asked) {
  const given = Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return `/api/tickets/all?${new URLSearchParams(given)}`;
}

/** Without compression: it costs the same at every size, and would hide a part of the growth. */
function fetchText(url: string, options: { agent: Agent; headers: Record<string, string> }) {
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    get(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    }).on('error', reject);
  });
}

type Sender = { query: (...given: unknown[]) => unknown };

function recordStatements(pool: Pool) {
  const sent: Statement[] = [];
  pool.on('connect', (client) => {
    const sender = client as unknown as Sender;
    const send = sender.query.bind(client);
    sender.query = (...given) => {
      const [text, values] = given;
      if (typeof text === 'string' && Array.isArray(values)) sent.push({ text, values });
      return send(...given);
    };
  });
  return sent;
}
