import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { addAdmin, testPassword } from '../../server/src/core/testing/server.ts';
import { parentOf, processorSecondsOf, withChildren } from '../../bench/idle/processor.ts';
import { freePort } from '../../tools/ports.ts';
import type { Chance } from '../processes/chance.ts';
import type { Code } from '../processes/code.ts';
import type { Fixture } from '../processes/fixture.ts';
import { startProgram } from '../processes/program.ts';
import { attack } from './attackers.ts';

const username = 'ann';
const betweenSignInsMs = 100;
const warmUpMs = 1_000;

type Params = { code: Code; seconds: number; chance: Chance };

/** Attacks one API behind a proxy, and meanwhile signs in as the administrator, from a device that it knows. */
export async function besiege({ owner, environment }: Fixture, { code, seconds, chance }: Params) {
  await addAdmin(owner, { username, role: 'SuperAdmin', realHash: true });
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const api = startProgram({
    code,
    program: 'main.ts',
    environment: { ...environment, PORT: String(port), BURSAR_TRUSTED_PROXIES: '127.0.0.1' },
  });
  await api.readyOrThrow();
  try {
    const { device } = await signIn(address, '');
    const processor = await measureProcessor(owner, api.pid);
    const end = performance.now() + seconds * 1000;
    const [sent, administrator] = await Promise.all([
      attack({ address, username, seconds, chance }),
      wait(warmUpMs).then(() => signInUntil(end, { address, device })),
    ]);
    return { seconds, administrator, attack: sent, cores: await processor() };
  } finally {
    await api.kill();
  }
}

async function signInUntil(end: number, { address, device }: { address: string; device: string }) {
  const times: number[] = [];
  const refused: Record<string, number> = {};
  while (performance.now() < end) {
    const { status, ms } = await signIn(address, device);
    times.push(ms);
    if (status !== 200) refused[status] = (refused[status] ?? 0) + 1;
    await wait(betweenSignInsMs);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN);
  const signedIn = times.length - Object.values(refused).reduce((sum, count) => sum + count, 0);
  return { attempts: times.length, signedIn, refused, p50Ms: at(0.5), p99Ms: at(0.99), slowestMs: at(1) };
}

async function signIn(address: string, device: string) {
  const started = performance.now();
  const answer = await fetch(`${address}/api/admin/login`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: address,
      'x-forwarded-for': '192.0.2.10',
      cookie: device,
    },
    body: JSON.stringify({ username, password: testPassword }),
  });
  await answer.arrayBuffer();
  const cookie = answer.headers.getSetCookie().find((text) => text.startsWith('__Host-bursar-device='));
  return { status: answer.status, ms: performance.now() - started, device: cookie?.split(';')[0] ?? '' };
}

/** Returns a function that tells how many cores the attackers (with the administrator), API and PostgreSQL kept busy. */
async function measureProcessor(owner: Fixture['owner'], api: number | undefined) {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(owner);
  const postmaster = await parentOf(rows[0]?.pid);
  const used = async () => ({
    attackers: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
    api: await processorSecondsOf([api]),
    postgres: await processorSecondsOf(await withChildren(postmaster)),
  });
  const before = await used();
  const started = performance.now();
  return async () => {
    const after = await used();
    const seconds = (performance.now() - started) / 1000;
    const coresOf = (name: keyof typeof before) => Math.round(((after[name] - before[name]) / seconds) * 100) / 100;
    return { attackers: coresOf('attackers'), api: coresOf('api'), postgres: coresOf('postgres') };
  };
}
