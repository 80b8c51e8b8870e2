import { setTimeout as wait } from 'node:timers/promises';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { testServer } from '../server/src/core/testing/server.ts';
import { startPostgres } from '../tools/postgres.ts';
import { conclude, isFull as full } from './history/conclude.ts';
import { openClient } from './lists/client.ts';
import { rounded } from './lists/samples.ts';
import { ask, start, openFixture } from './payout/fixture.ts';

/* Compares the latency of lists while a run is planned and paid with their latency on an idle system, in turns. */
const aim = 2;
const stakes = full ? 1_000_000 : 100_000;
const rounds = full ? 3 : 5;

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);
const fixture = everything.use(await openFixture(postgres.url, stakes));
// Pay one run first: PostgreSQL plans list queries for an empty ledger until the next ANALYZE.
await pay((await fixture.nextRun('stake-payout', 'USD')).id);
await fixture.pool.query('vacuum (analyze) transfer');
const server = everything.use(await testServer(fixture.url));
const { ask: get, close } = openClient(server.address, await server.signIn('bench'));
everything.defer(close);

/** The load of a few administrators, not the most that one machine can send. */
const pauseMs = 20;
const lists = ['/api/users?limit=25', '/api/staking?limit=25', '/api/ledger/transfers?limit=25', '/api/runs?limit=25'];

type Sample = { round: number; list: string; ms: number };
const idle: Sample[] = [];
const beside: Sample[] = [];
await measureUntil(wait(2_000), () => {});
for (let round = 1; round <= rounds; round += 1) {
  const { id } = await fixture.nextRun('stake-payout', 'USD');
  const running = pay(id);
  await measureUntil(running, (list, ms) => beside.push({ round, list, ms }));
  await measureUntil(wait(Math.max(2_000, (await running).ms)), (list, ms) => idle.push({ round, list, ms }));
}
report();

async function pay(id: string) {
  const planned = await ask(fixture.payers[0], 'plan', id);
  await start(fixture.pool, id);
  const paid = await ask(fixture.payers[0], 'pay', id);
  return { ms: planned.ms + paid.ms };
}

async function measureUntil(ended: Promise<unknown>, onSample: (list: string, ms: number) => void) {
  let done = false;
  const end = ended.finally(() => {
    done = true;
  });
  for (let turn = 0; !done; turn += 1) {
    const list = lists[turn % lists.length] ?? '';
    onSample(list, (await get(list)).ms);
    await wait(pauseMs);
  }
  await end;
}

function report() {
  const p99 = { idle: at(idle, 0.99), beside: at(beside, 0.99) };
  const ratio = rounded(p99.beside / p99.idle);
  const medians = { idle: at(idle, 0.5), beside: at(beside, 0.5) };
  const asked = { idle: idle.length, beside: beside.length };
  conclude({
    bench: 'beside',
    timings: { ratio: { value: ratio, aim, better: 'lower' } },
    faults: [],
    // A slow list points to its query, a slow round to the machine.
    details: { stakes, p99, medians, asked, p99ByList: p99By('list'), p99ByRound: p99By('round') },
  });
}

function p99By(part: 'list' | 'round') {
  const idles = Object.groupBy(idle, (sample) => sample[part]);
  return Object.entries(Object.groupBy(beside, (sample) => sample[part])).map(([of, samples]) => ({
    [part]: of,
    idle: at(idles[of] ?? [], 0.99),
    beside: at(samples ?? [], 0.99),
  }));
}

function at(samples: Sample[], share: number) {
  const ordered = samples.map(({ ms }) => ms).toSorted((one, other) => one - other);
  return rounded(ordered[Math.floor(share * (ordered.length - 1))] ?? Number.NaN);
}
