import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { startPostgres } from '../tools/postgres.ts';
import { buildPanelIfOlder } from './build.ts';
import { prepareDemo } from './environment.ts';

// Without arguments, the tests of the commit gate run; with `--all`, every test. Other arguments go to Playwright.
const given = process.argv.slice(2);
const playwrightArguments = given.filter((parameter) => parameter !== '--all');
const set = given.length === 0 ? 'gate' : 'all';

await buildPanelIfOlder();
const postgres = await startPostgres({ port: 54_330 });
let code = 1;
try {
  await prepareDemo(postgres.url);
  const environment = { ...process.env, E2E_POSTGRES_URL: postgres.url, E2E_SET: set };
  const tests = spawn('playwright', ['test', ...playwrightArguments], { env: environment, stdio: 'inherit' });
  // On Ctrl-C, Playwright closes its browsers and servers; the database stops last.
  process.on('SIGINT', () => undefined);
  const [exit] = (await once(tests, 'exit')) as [number | null];
  code = exit ?? 1;
} finally {
  await postgres.stop();
}
process.exit(code);
