import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { startPostgres } from '../tools/postgres.ts';
import { buildPanelIfOlder } from './build.ts';
import { prepareDemo } from './environment.ts';

// Without parameters the tests of the commit gate run, with `--all` every test; other parameters are Playwright's own.
const given = process.argv.slice(2);
const asked = given.filter((parameter) => parameter !== '--all');
const set = given.length === 0 ? 'gate' : 'all';

await buildPanelIfOlder();
const postgres = await startPostgres({ port: 54_330 });
let code = 1;
try {
  await prepareDemo(postgres.url);
  const environment = { ...process.env, E2E_POSTGRES_URL: postgres.url, E2E_SET: set };
  const tests = spawn('playwright', ['test', ...asked], { env: environment, stdio: 'inherit' });
  // Playwright closes its browsers and servers on Ctrl-C by itself; the database goes last.
  process.on('SIGINT', () => undefined);
  const [exit] = (await once(tests, 'exit')) as [number | null];
  code = exit ?? 1;
} finally {
  await postgres.stop();
}
process.exit(code);
