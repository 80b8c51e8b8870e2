import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { tell } from '../processes/verdict.ts';
import { linesOf } from './documents.ts';
import { firstPassword, type Installation } from './installation.ts';
import type { Visitor } from './visitor.ts';

const newPassword = 'four grey herons at dusk';
/** Far below the thirty seconds after which the first heartbeat of a stream comes. */
export const streamWithinMs = 3_000;

/** Collects what is not as it should be, so that one run shows all of it. */
export function faultsOf(name: string, faults: string[]) {
  return (isRight: boolean, fault: string) => {
    if (isRight) return;
    tell(`${name}: FAULT: ${fault}`);
    faults.push(`${name}: ${fault}`);
  };
}
export type Expect = ReturnType<typeof faultsOf>;

/** Sets up the database and the first administrator, and looks at what the commands have left behind. */
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

/** Signs in, changes the first password, and hears of a change while a stream is open. */
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
  await hearChange(visitor, expect);
}

/** What a colleague does arrives through the proxy while the page is open. */
export async function hearChange(visitor: Visitor, expect: Expect) {
  const stream = await visitor.openStream(streamWithinMs);
  expect(stream.status === 200, `live updates answered ${stream.status} within ${stream.ms} ms`);
  const made = await visitor.call('/api/tickets', { body: { type: 'Installed', description: 'Does it work?' } });
  expect(made.status === 200, `a new ticket answered ${made.status}`);
  expect(await stream.hears(String(made.json['id'])), 'a change was not heard within two seconds');
  stream.close();
  tell(`live updates were open after ${stream.ms} ms`);
}

/** The worker publishes a head of the audit log once a minute; without one the log is not vouched for. */
export async function waitForHead(installation: Installation) {
  for (const latest = Date.now() + 100_000; Date.now() < latest; await wait(2_000)) {
    const { code, output } = await installation.type('npx bursar audit verify');
    if (code === 0) return output;
  }
  throw new Error('The worker published no head of the audit log.');
}

/** Every check passes, and the logins have no more rights than they need. */
export async function examine(installation: Installation, expect: Expect) {
  const output = await installation.follow('docs/operating.md', 'check').catch((error: unknown) => String(error));
  const bad = output.split('\n').filter((line) => /^(warning|failure)/.test(line));
  expect(/, 0 warnings, 0 failed$/m.test(output), `doctor: ${bad.join(' | ') || output}`);
}

/** A SIGTERM for npm must reach the program, and leave nothing behind. */
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
 * Types the lines of the upgrade; before the last one, which migrates, the new code must refuse to start. Without
 * packages, those of the old version stay, which are the same.
 */
export async function upgrade(installation: Installation, expect: Expect, { withPackages }: { withPackages: boolean }) {
  const lines = linesOf('docs/operating.md', 'upgrade');
  for (const line of lines.filter((each) => withPackages || !each.startsWith('npm ci'))) {
    if (line === lines.at(-1)) {
      const early = await installation.type(startLine());
      const isRefused = early.code === 1 && early.output.includes('run \\"npx bursar migrate\\" first');
      expect(isRefused, `new code ran on old tables: ${early.output}`);
    }
    tell(`${installation.server.name}: ${line}`);
    const { code, output } = await installation.type(line);
    if (code !== 0) throw new Error(`"${line}" ended with ${code}:\n${output}`);
  }
}

export const startLine = () => linesOf('README.md', 'start')[0] ?? '';
