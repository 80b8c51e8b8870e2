import { readdir, readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Caller, callerAt } from '../processes/caller.ts';
import type { Fixture } from '../processes/fixture.ts';

const patienceMs = 60_000;
const pollMs = 200;

/** Returns every row of every table, as a dump writes it. */
export async function dump({ pool }: Fixture) {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select '${name} ' || item::text as row from ${name} as item`);
    texts.push(...rows.map(({ row }) => row));
  }
  return texts;
}

type Export = { id: string; state: string };

/** Builds an export of every tab, downloads each, and returns them with all files of the folders of the product. */
export async function exportAll({ environment }: Fixture, { address, token }: { address: string; token: string }) {
  const caller = callerAt(address);
  const texts: string[] = [];
  for (const tab of ['staking', 'withdrawal', 'task']) {
    const { json } = await caller.call('POST', '/api/reports/exports', { token, body: { tab, filter: {} } });
    const started = json['export'] as Export | undefined;
    if (!started) throw new Error(`The export of ${tab} was not started: ${JSON.stringify(json)}`);
    await finished(caller, { id: started.id, token });
    const link = await caller.call('POST', `/api/reports/exports/${started.id}/link`, { token });
    const file = await fetch(`${address}/api/reports/exports/${started.id}/file?key=${String(link.json['key'])}`);
    if (file.status !== 200) throw new Error(`The export of ${tab} was not sent: ${file.status}`);
    texts.push(await file.text());
  }
  for (const folder of [environment.BURSAR_EXPORT_FOLDER, environment.BURSAR_ARCHIVE_FOLDER]) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names) texts.push(`${name} ${await readFile(path.join(folder, name), 'latin1')}`);
  }
  const heads = await readFile(environment.BURSAR_AUDIT_HEAD_FILE, 'utf8').catch(() => '');
  return [...texts, heads];
}

async function finished(caller: Caller, { id, token }: { id: string; token: string }) {
  for (const latest = Date.now() + patienceMs; Date.now() < latest; await wait(pollMs)) {
    const { json } = await caller.call('GET', '/api/reports/exports', { token });
    const state = (json['exports'] as Export[]).find((one) => one.id === id)?.state;
    if (state === 'done') return;
    if (state === 'failed') break;
  }
  throw new Error(`The export ${id} was not built.`);
}

/** Listens for webhooks, and keeps the requests. */
export async function listenForWebhooks() {
  const received: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      received.push(`${JSON.stringify(request.headers)} ${Buffer.concat(parts).toString()}`);
      response.writeHead(204).end();
      resolve();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    /** Waits until a webhook has been sent. */
    firstRequest: () => Promise.race([promise, wait(patienceMs, undefined, { ref: false })]),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
