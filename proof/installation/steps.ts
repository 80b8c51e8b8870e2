import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { logProgress } from '../processes/verdict.ts';
import { linesOf } from './documents.ts';
import { firstPassword, type Installation } from './installation.ts';
import type { Visitor } from './visitor.ts';

const newPassword = 'four grey herons at dusk';
/** Far below the fifteen seconds after which a stream sends its first heartbeat. */
export const streamWithinMs = 3_000;

/** Collects faults instead of failing at the first, so that one run shows all of them. */
export function faultsOf(name: string, faults: string[]) {
  return (isRight: boolean, fault: string) => {
    if (isRight) return;
    logProgress(`${name}: FAULT: ${fault}`);
    faults.push(`${name}: ${fault}`);
  };
}
export type Expect = ReturnType<typeof faultsOf>;

/** Sets up the database and the first administrator, and checks file modes and roles. */
export async function setUp(installation: Installation, expect: Expect) {
  await installation.follow('README.md', 'setup', {
    'npx bursar init': `npx bursar init --database 127.0.0.1:${installation.server.port}/bursar`,
  });
  await installation.follow('docs/operating.md', 'proxy');
  const { mode } = await stat(path.join(installation.folder, '.env'));
  expect((mode & 0o777) === 0o600, `.env has the mode ${(mode & 0o777).toString(8)}`);
  const powerful = await installation.server.query<{ name: string }>(
    `select rolname as name from pg_roles where rolname like 'bursar%' and (rolsuper or rolcreaterole or rolcreatedb)`,
  );
  expect(powerful.length === 0, `${powerful.map(({ name }) => name).join(', ')} may do too much`);
}

/** Signs in, changes the first password, and receives a live update. */
export async function work(visitor: Visitor, expect: Expect) {
  const page = await visitor.call('/login');
  expect(page.status === 200 && page.text.includes('<html'), `/login answered ${page.status}`);
  const body = { username: 'alice', password: firstPassword };
  const signedIn = await visitor.call('/api/admin/login', { body });
  expect(signedIn.status === 200, `signing in answered ${signedIn.status}`);
  expect(
    [...visitor.cookies.keys()].some((name) => name.startsWith('__Host-')),
    'a browser was given no cookie',
  );
  const changed = await visitor.call('/api/auth/password', {
    body: { currentPassword: firstPassword, newPassword },
  });
  expect(changed.status === 200, `changing the password answered ${changed.status}`);
  await receiveChange(visitor, expect);
}

/** Checks that a change arrives through the proxy as a live update. */
export async function receiveChange(visitor: Visitor, expect: Expect) {
  const stream = await visitor.openStream(streamWithinMs);
  expect(stream.status === 200, `live updates answered ${stream.status} within ${stream.ms} ms`);
  const made = await visitor.call('/api/tickets', { body: { type: 'Installed', description: 'Does it work?' } });
  expect(made.status === 200, `a new ticket answered ${made.status}`);
  expect(await stream.hears(String(made.json['id'])), 'a change was not heard within two seconds');
  stream.close();
  logProgress(`live updates were open after ${stream.ms} ms`);
}

/** Waits for the worker to publish a head of the audit log, once a minute; without one the log cannot be verified. */
export async function waitForHead(installation: Installation) {
  for (const latest = Date.now() + 100_000; Date.now() < latest; await wait(2_000)) {
    const { code, output } = await installation.type('npx bursar audit verify');
    if (code === 0) return output;
  }
  throw new Error('The worker published no head of the audit log.');
}

/** Checks that every check of `doctor` passes. */
export async function examine(installation: Installation, expect: Expect) {
  const output = await installation.follow('docs/operating.md', 'check').catch((error: unknown) => String(error));
  const bad = output.split('\n').filter((line) => /^(warning|failure)/.test(line));
  expect(/, 0 warnings, 0 failed$/m.test(output), `doctor: ${bad.join(' | ') || output}`);
}

/** Checks that a SIGTERM to npm reaches the program and leaves no process behind. */
export async function stopThroughNpm(installation: Installation, expect: Expect) {
  for (const line of ['npm start', 'npm run worker']) {
    const program = installation.run(line);
    await installation.isUp(program);
    await program.stop();
    for (let tenths = 0; tenths < 50 && program.isLeft(); tenths += 1) await wait(100);
    expect(!program.isLeft(), `${line}: a process is left after SIGTERM`);
    expect(program.output().includes('"stopping"'), `${line}: the program did not stop in order`);
    program.kill();
  }
}

/**
 * Types the lines of the upgrade. Before the last one, which migrates, the new code must refuse to start. Without
 * `withPackages` the old packages are kept, which are the same.
 */
export async function upgrade(installation: Installation, expect: Expect, { withPackages }: { withPackages: boolean }) {
  const lines = linesOf('docs/operating.md', 'upgrade');
  for (const line of lines.filter((each) => withPackages || !each.startsWith('npm ci'))) {
    if (line === lines.at(-1)) {
      const early = await installation.type(startLine());
      const isRefused = early.code === 1 && early.output.includes('run \\"npx bursar migrate\\" first');
      expect(isRefused, `new code ran on old tables: ${early.output}`);
    }
    logProgress(`${installation.server.name}: ${line}`);
    const { code, output } = await installation.type(line);
    if (code !== 0) throw new Error(`"${line}" ended with ${code}:\n${output}`);
  }
}

export const startLine = () => linesOf('README.md', 'start')[0] ?? '';
