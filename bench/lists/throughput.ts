import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import autocannon from 'autocannon';
import { connect, type Pool } from '../../server/src/core/db/db.ts';
import { testPassword } from '../../server/src/core/testing/server.ts';
import { listUsers } from '../../server/src/features/users/service.ts';
import { summarize } from './samples.ts';
import type { Fixture } from './fixture.ts';

type Statement = { text: string; values: unknown[] };

/**
 * Compares the requests per second of the first page with a bare framework handler that sends the same statements. The
 * two alternate in many short turns, and in who goes first, so that other load on the machine affects both equally.
 */
export async function measureThroughput({ url }: Fixture, { rounds }: { rounds: number }) {
  const statements = await statementsOf(url);
  const ours = await start('ours.ts', { url });
  const bare = await start('bare.ts', { url, statements });
  const token = await signIn(ours.address);
  const measured = { ours: [] as number[], bare: [] as number[] };
  const measure = {
    ours: () => measureOne(`${ours.address}/api/users`, { authorization: `Bearer ${token}` }),
    bare: () => measureOne(`${bare.address}/`, {}),
  };
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const one of round % 2 === 0 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const)) {
      const perSecond = await measure[one]();
      if (round >= 0) measured[one].push(perSecond);
    }
  }
  ours.child.kill();
  bare.child.kill();
  const ratios = measured.ours.map((mine, round) => mine / (measured.bare[round] ?? Number.NaN));
  return { ours: middle(measured.ours), bare: middle(measured.bare), ratio: middle(ratios) };
}

const warmUp = 20;
const requestsPerTurn = 400;

const middle = (figures: number[]) => summarize(figures).p50;

async function start(file: string, options: object): Promise<{ address: string; child: ChildProcess }> {
  const child = fork(path.join(import.meta.dirname, file), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  child.send(options);
  const [address] = (await once(child, 'message')) as [string];
  return { address, child };
}

async function signIn(address: string) {
  const response = await fetch(`${address}/api/admin/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'bench', password: testPassword }),
  });
  return ((await response.json()) as { token: string }).token;
}

async function measureOne(url: string, headers: Record<string, string>) {
  const { start, finish, non2xx, errors } = await autocannon({
    url,
    headers,
    connections: 10,
    amount: requestsPerTurn,
    // autocannon notices that it is done at its next sample; the default interval is one second.
    sampleInt: 10,
  });
  if (non2xx + errors > 0) throw new Error(`${url} refused ${non2xx} requests, and ${errors} were not answered.`);
  return (requestsPerTurn * 1000) / (finish.getTime() - start.getTime());
}

type Sender = { query: (...args: unknown[]) => unknown };

/** Returns the statements that our code sends for the first page. */
async function statementsOf(url: string) {
  const settings = { url, connections: 1, statementTimeoutMs: 60_000, onLostConnection: () => undefined };
  const { database, pool } = connect(settings);
  const sent = recordStatements(pool);
  await listUsers(database, {});
  await database.destroy();
  return sent;
}

function recordStatements(pool: Pool) {
  const sent: Statement[] = [];
  pool.on('connect', (client) => {
    const sender = client as unknown as Sender;
    const send = sender.query.bind(client);
    sender.query = (...args) => {
      const [text, values] = args;
      if (typeof text === 'string' && Array.isArray(values)) sent.push({ text, values });
      return send(...args);
    };
  });
  return sent;
}
