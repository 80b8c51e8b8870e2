import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { freePort } from '../tools/ports.ts';
import { startPostgres } from '../tools/postgres.ts';
import { type Change, copyCode } from './processes/code.ts';
import { type Fixture, openFixture } from './processes/fixture.ts';
import { startProgram } from './processes/program.ts';
import { conclude, logProgress } from './processes/verdict.ts';
import { decideAll } from './T6/approvals.ts';
import { callAll, type Matrix } from './T6/endpoints.ts';
import { addIdentities } from './T6/identities.ts';
import { mutants, weakenedRules } from './T6/mutants.ts';

/*
 * Calls every endpoint of the contract as every kind of caller, and decides every kind of request as every role and in
 * every relation of maker and decider. Each cell must be what the table of roles says. Both forms are the whole matrix.
 */
/** As in production. Decisions are made by administrators who have just signed in with a password. */
const withProofs = { BURSAR_SECOND_FACTOR: 'required', BURSAR_STEP_UP_MINUTES: '5' };

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const endpoints = await prove([], callEndpoints(), withProofs);
report('endpoints', endpoints);
const approvals = await prove([], (fixture, address) => decideAll({ fixture, address }));
report('approvals', approvals);

const caught: Record<string, boolean> = {};
for (const [name, { change, callers }] of Object.entries(mutants)) {
  caught[name] = isCaught(name, await prove([change], callEndpoints(callers), withProofs));
}
for (const [name, { statement, relations }] of Object.entries(weakenedRules)) {
  const weakened = await prove([], async (fixture, address) => {
    await fixture.pool.query(statement);
    return decideAll({ fixture, address, only: relations });
  });
  caught[name] = isCaught(name, weakened);
}

conclude({
  proof: 'T6',
  passed: [endpoints, approvals].every(isSound),
  mutantCaught: Object.values(caught).every(Boolean),
  mutants: caught,
  endpoints: endpoints.cells,
  approvals: approvals.cells,
  undeclared: [endpoints, approvals].flatMap(({ undeclared }) => undeclared),
  differing: [endpoints, approvals].flatMap(({ differing }) => differing),
});

function isSound({ cells, undeclared, differing }: Matrix) {
  return cells > 0 && undeclared.length === 0 && differing.length === 0;
}

function isCaught(name: string, { differing }: Matrix) {
  logProgress(`mutant ${name}: ${differing.length} cells differ, such as ${differing[0]}`);
  return differing.length > 0;
}

function report(name: string, { cells, undeclared, differing }: Matrix) {
  logProgress(`${name}: ${cells} cells, ${undeclared.length} undeclared, ${differing.length} differ`);
  for (const line of [...undeclared, ...differing].slice(0, 40)) logProgress(line);
}

function callEndpoints(callers?: readonly string[]) {
  return async (fixture: Fixture, address: string) =>
    callAll(address, await addIdentities({ fixture, address }), callers);
}

async function prove(
  changes: Change[],
  act: (fixture: Fixture, address: string) => Promise<Matrix>,
  settings: Record<string, string> = {},
) {
  await using resources = new AsyncDisposableStack();
  const code = copyCode(changes);
  resources.defer(() => code.remove());
  const fixture = await openFixture(postgres.url);
  resources.defer(() => fixture.close());
  const port = await freePort();
  const environment = { ...fixture.environment, ...settings, PORT: String(port) };
  const program = startProgram({ code, program: 'main.ts', environment });
  resources.defer(() => program.kill());
  await program.readyOrThrow();
  return await act(fixture, `http://127.0.0.1:${port}`);
}
