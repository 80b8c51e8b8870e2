import { sql } from 'kysely';
import { sealAuditWith } from '../server/src/core/audit/key.ts';
import { connect, type Database } from '../server/src/core/db/db.ts';
import { addCrowd } from '../server/src/core/testing/crowd.ts';
import { testConfig } from '../server/src/core/testing/config.ts';
import { cloneTemplate, prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { attemptsIn } from './T15/attempts.ts';
import { mutants } from './T15/mutants.ts';
import { trySignIns } from './T15/sign-ins.ts';
import { isInDocument, tableOf, type Tried } from './T15/table.ts';
import { tryOut } from './T15/tries.ts';
import { buildWorld } from './T15/world.ts';

/*
 * Somebody has the database password of the API or of the worker: every forgery is refused by the database or named by a
 * verification. With --write, the table in docs/security.md is written instead of compared.
 */
const users = isFull ? 5_000 : 20;
const logins = { app: 't15_app', worker: 't15_worker' };

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);
const { url, drop } = await cloneTemplate(postgres.url);
everything.defer(drop);
const settings = { connections: 1, statementTimeoutMs: 600_000, onLostConnection: () => undefined };
const { database: owner } = connect({ url, ...settings });
everything.defer(() => owner.destroy());
sealAuditWith(testConfig(url).audit.key);
for (const [process, login] of Object.entries(logins)) {
  await sql
    .raw(`drop role if exists ${login}; create role ${login} login; grant bursar_${process} to ${login}`)
    .execute(owner);
}
await addCrowd(owner, { users, placedOn: '2026-11-01' });
const attempts = attemptsIn(await buildWorld(owner));

// Otherwise a forgery would seem to be named.
const untouched = { aim: '', what: '', statements: ['select 1'] };
if ((await tryOut(owner, { attempt: untouched, login: logins.app })) !== 'open')
  throw new Error('The books are not sound.');

const tried: Tried[] = [];
for (const attempt of attempts) {
  const app = await tryOut(owner, { attempt, login: logins.app });
  const worker = await tryOut(owner, { attempt, login: logins.worker });
  tried.push({ ...attempt, app, worker });
  logProgress(`${attempt.aim}: ${attempt.what}: ${app}, ${worker}`);
}
const [byApp, byWorker] = [await trySignIns(postgres.url, logins.app), await trySignIns(postgres.url, logins.worker)];
for (const [at, { outcome: app, ...attempt }] of byApp.entries()) {
  const worker = byWorker[at]?.outcome ?? 'open';
  tried.push({ ...attempt, app, worker });
  logProgress(`${attempt.aim}: ${attempt.what}: ${app}, ${worker}`);
}
const open = tried
  .filter(({ app, worker }) => app === 'open' || worker === 'open')
  .map(({ aim, what }) => `${aim}: ${what}`);
const caught: Record<string, boolean> = {};
for (const [name, weakened] of Object.entries(mutants)) {
  caught[name] = await opensSomething(owner, weakened);
  logProgress(`mutant ${name}: ${caught[name] ? 'caught' : 'not noticed'}`);
}
const isDocumented = await isInDocument(tableOf(tried), { write: process.argv.includes('--write') });
conclude({
  proof: 'T15',
  passed: open.length === 0 && isDocumented,
  mutantCaught: Object.values(caught).every(Boolean),
  attempts: tried.length,
  open,
  isDocumented,
  mutants: caught,
});

/** Whether an attempt with the login of the API succeeds that does not without the mutant. */
async function opensSomething(database: Database, { aim, ...weakened }: (typeof mutants)[string]) {
  for (const attempt of tried.filter((one) => one.aim === aim)) {
    if (['open', 'opens nothing', 'harmless'].includes(attempt.app)) continue;
    const outcome = await tryOut(database, { attempt, login: logins.app, weakened });
    if (outcome === 'open' || outcome === 'harmless') return true;
  }
  return false;
}
