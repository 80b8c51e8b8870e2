import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { prepareTemplate } from '../server/src/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { buildPanelIfOlder } from './build.ts';

const asked = process.argv.slice(2);

await buildPanelIfOlder();
const postgres = await startPostgres({ port: 54_330 });
let code = 1;
try {
  await prepareTemplate(postgres.url);
  const environment = { ...process.env, E2E_POSTGRES_URL: postgres.url };
  const tests = spawn('playwright', ['test', ...asked], { env: environment, stdio: 'inherit' });
  // Playwright closes its browsers and servers on Ctrl-C by itself; the database goes last.
  process.on('SIGINT', () => undefined);
  const [exit] = (await once(tests, 'exit')) as [number | null];
  code = exit ?? 1;
} finally {
  await postgres.stop();
}
process.exit(code);
