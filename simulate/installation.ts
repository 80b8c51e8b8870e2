import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { OwnCluster } from '../proof/processes/cluster.ts';
import type { Code } from '../proof/processes/code.ts';
import { startProcess, startProgram } from '../proof/processes/program.ts';
import { supervise } from '../proof/processes/supervisor.ts';
import { sealAuditWith } from '../server/src/core/audit/key.ts';
import { connect } from '../server/src/core/db/db.ts';
import { migrate } from '../server/src/core/db/migrate.ts';
import { installQueue } from '../server/src/core/queue/install.ts';
import { testConfig, testVariables } from '../server/src/core/testing/config.ts';
import { addAdmin } from '../server/src/core/testing/server.ts';
import { freePort } from '../tools/ports.ts';

const run = promisify(execFile);

/** The administrators of an own installation. Neither can decide alone on what is above their limit. */
export const administrators = ['ann', 'ben'] as const;

type Settings = { code: Code; name: string };

/** Installs Bursar on a PostgreSQL, and starts two APIs and two workers, each under a supervisor. */
export async function openInstallation(cluster: OwnCluster, { code, name }: Settings) {
  const url = await createDatabase(cluster, name);
  const environment = testVariables(url, { BURSAR_WEBHOOK_TARGETS: 'local' });
  const ports = [await freePort(), await freePort()];
  const apis = ports.map((port, index) =>
    supervise(`API ${index + 1}`, () =>
      startProgram({ code, program: 'main.ts', environment: { ...environment, PORT: String(port) } }),
    ),
  );
  const workers = [1, 2].map((no) =>
    supervise(`worker ${no}`, () => startProgram({ code, program: 'worker.ts', environment })),
  );
  await Promise.all([...apis, ...workers].map((program) => program.readyOrThrow()));
  return {
    addresses: ports.map((port) => `http://127.0.0.1:${port}`),
    apis,
    workers,

    /** Runs a command of Bursar. Returns its output, or undefined if it failed. */
    async command(...words: string[]) {
      const program = path.join(code.folder, 'server/src/cli.ts');
      return run(process.execPath, [program, ...words], { cwd: code.folder, env: environment }).then(
        ({ stdout }) => stdout.trim(),
        (error: unknown) => {
          console.error(error);
          return undefined;
        },
      );
    },

    async stop() {
      await Promise.all([...apis, ...workers].map((program) => program.stop()));
      await rm(environment.BURSAR_AUDIT_HEAD_FILE, { force: true });
    },
  };
}

/** Creates the tables and the administrators. Commits wait for the disk, because PostgreSQL is killed. */
async function createDatabase(cluster: OwnCluster, name: string) {
  const settings = { connections: 2, statementTimeoutMs: 60_000, onLostConnection: () => undefined };
  const { database: server, pool } = connect({ ...settings, url: cluster.urlOf('postgres') });
  await pool.query(`create database ${name}`);
  await server.destroy();
  const url = cluster.urlOf(name);
  // The administrators below have sealed records, as if the API had added them.
  sealAuditWith(testConfig(url).audit.key);
  await migrate(url);
  await installQueue(url);
  const { database: owner } = connect({ ...settings, url });
  for (const username of administrators) await addAdmin(owner, { username, role: 'SuperAdmin' });
  const { rows } = await sql<{ fsync: string; commit: string }>`
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`.execute(owner);
  await owner.destroy();
  if (rows[0]?.fsync !== 'on' || rows[0].commit !== 'on')
    throw new Error('This PostgreSQL does not wait for the disk.');
  return url;
}

type Receiver = { file: string; port: number; secret: string };

/** Starts the receiver of webhooks under a supervisor. */
export async function startReceiver({ file, port, secret }: Receiver) {
  const receiver = supervise('receiver', () =>
    startProcess({
      file: path.join(import.meta.dirname, 'receiver.ts'),
      folder: path.resolve(import.meta.dirname, '..'),
      readyText: 'listening',
      environment: { PORT: String(port), RECEIVED_FILE: file, WEBHOOK_SECRET: secret },
    }),
  );
  await receiver.readyOrThrow();
  return receiver;
}
