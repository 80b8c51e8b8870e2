import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import autocannon from 'autocannon';
import { connect, type Pool } from '../../server/src/core/db/db.ts';
import { testPassword } from '../../server/src/core/testing/server.ts';
import { listUsers } from '../../server/src/features/users/service.ts';
import { summarise } from './samples.ts';
import type { Fixture } from './fixture.ts';

type Statement = { text: string; values: unknown[] };

/**
 * Requests per second of the first page: ours against the bare framework handler that sends the same statements. They
 * take many short turns, and turns at being first: whatever else the machine does then meets both alike.
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
const requestsOfATurn = 400;

const middle = (figures: number[]) => summarise(figures).p50;

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
    amount: requestsOfATurn,
    // It notices that it is done when it takes the next sample: once a second, unless told.
    sampleInt: 10,
  });
  if (non2xx + errors > 0) throw new Error(`${url} refused ${non2xx} requests, and ${errors} were not answered.`);
  return (requestsOfATurn * 1000) / (finish.getTime() - start.getTime());
}

type Sender = { query: (...given: unknown[]) => unknown };

/** The statements that our own code sends for the first page, as it sends them. */
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
    sender.query = (...given) => {
      const [text, values] = given;
      if (typeof text === 'string' && Array.isArray(values)) sent.push({ text, values });
      return send(...given);
    };
  });
  return sent;
}
