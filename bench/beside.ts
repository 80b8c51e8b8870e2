import { setTimeout as wait } from 'node:timers/promises';
import { prepareTemplate } from '../server/src/testing/template.ts';
import { testServer } from '../server/src/testing/server.ts';
import { startPostgres } from '../tools/postgres.ts';
import { openAsking } from './lists/asking.ts';
import { rounded } from './lists/samples.ts';
import { ask, begin, openSite } from './payout/site.ts';

/* How long a list takes while a run is planned and paid, against the same list while nothing else happens, in turns. */
const full = process.argv.includes('--full');
const limit = 2;
const stakes = full ? 1_000_000 : 100_000;
const rounds = full ? 3 : 5;

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);
const site = everything.use(await openSite(postgres.url, stakes));
// A ledger in use: of an empty one the database plans its lists as such, until it has looked at it again.
await pay((await site.nextRun('stake-payout', 'USD')).id);
await site.pool.query('vacuum (analyze) transfer');
const server = everything.use(await testServer(site.url));
const { ask: get, close } = openAsking(server.address, await server.signIn('bench'));
everything.defer(close);

/** As often as a few people at work would, and not as often as one machine can. */
const pauseMs = 20;
const lists = ['/api/users?limit=25', '/api/staking?limit=25', '/api/ledger/transfers?limit=25', '/api/runs?limit=25'];

const idle: number[] = [];
const beside: number[] = [];
await lookUntil([], wait(2_000));
for (let round = 0; round < rounds; round += 1) {
  const { id } = await site.nextRun('stake-payout', 'USD');
  const running = pay(id);
  await lookUntil(beside, running);
  await lookUntil(idle, wait(Math.max(2_000, (await running).ms)));
}
report();

async function pay(id: string) {
  const planned = await ask(site.payers[0], 'plan', id);
  await begin(site.pool, id);
  const paid = await ask(site.payers[0], 'pay', id);
  return { ms: planned.ms + paid.ms };
}

async function lookUntil(into: number[], ended: Promise<unknown>) {
  let over = false;
  const end = ended.finally(() => {
    over = true;
  });
  for (let turn = 0; !over; turn += 1) {
    into.push((await get(lists[turn % lists.length] ?? '')).ms);
    await wait(pauseMs);
  }
  await end;
}

function report() {
  const at = (samples: number[], share: number) =>
    rounded(samples.toSorted((one, other) => one - other)[Math.floor(share * (samples.length - 1))] ?? Number.NaN);
  const [quiet, busy] = [at(idle, 0.99), at(beside, 0.99)];
  const ratio = rounded(busy / quiet);
  const medians = { idle: at(idle, 0.5), beside: at(beside, 0.5) };
  const p99 = { idle: quiet, beside: busy };
  const asked = { idle: idle.length, beside: beside.length };
  const passed = ratio <= limit;
  console.log(JSON.stringify({ bench: 'beside', stakes, p99, medians, asked, ratio, limit, passed }));
  if (!passed) process.exitCode = 1;
}
