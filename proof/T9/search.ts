import { cloneDemoTemplate } from '../../server/src/core/testing/template.ts';
import { freePort } from '../../tools/ports.ts';
import { callerAt } from '../processes/caller.ts';
import type { Chance } from '../processes/chance.ts';
import { type Change, copyCode, servePanel } from '../processes/code.ts';
import { type Fixture, openFixture } from '../processes/fixture.ts';
import { startProgram } from '../processes/program.ts';
import { browse } from './browser.ts';
import { callAll } from './calls.ts';
import { type Canaries, type Haystacks, openCanaries } from './canaries.ts';
import { dump, exportAll, listenForWebhooks } from './collect.ts';
import { type Planted, plantSecrets } from './plant.ts';

type Search = {
  changes: Change[];
  chance: Chance;
  rounds: number;
  /** Also where no mutant has to be looked for: exports, webhooks and the browser. */
  isWhole: boolean;
};

/** Plants secrets, uses the product, and returns each secret that is found where it must not be. */
export async function searchSecrets(postgresUrl: string, { changes, chance, rounds, isWhole }: Search) {
  await using resources = new AsyncDisposableStack();
  const code = copyCode(changes);
  resources.defer(() => code.remove());
  servePanel(code);
  const fixture = await openFixture(postgresUrl, cloneDemoTemplate);
  resources.defer(() => fixture.close());
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const environment = { ...fixture.environment, PORT: String(port), BURSAR_WEBHOOK_TARGETS: 'local' };
  const logs = new Map<string, string[]>();
  const programs = (['main.ts', 'worker.ts'] as const).map((program) => {
    const lines: string[] = [];
    logs.set(`log of ${program}`, lines);
    return startProgram({ code, program, environment, level: 'debug', onOutput: (text) => void lines.push(text) });
  });
  resources.defer(async () => void (await Promise.all(programs.map((program) => program.kill()))));
  await Promise.all(programs.map((program) => program.readyOrThrow()));

  const canaries = openCanaries();
  const planted = await plantSecrets(fixture, address, canaries);
  const rest = isWhole ? await exportAndBrowse({ fixture, address, canaries, planted }) : [];
  const calls = await callAll({ fixture, address, canaries, chance, rounds }, planted);
  const haystacks: Haystacks = new Map([
    ...rest,
    ['answers', calls.answers],
    ['database', await dump(fixture)],
    ...[...logs].map(([name, lines]): [string, string[]] => [name, [lines.join('')]]),
  ]);
  const texts = Object.fromEntries([...haystacks].map(([place, all]) => [place, all.length]));
  const found = { canaries: canaries.count(), kinds: canaries.names(), succeeded: calls.succeeded };
  return { hits: canaries.find(haystacks), texts, ...found };
}

type World = { fixture: Fixture; address: string; canaries: Canaries; planted: Planted };

async function exportAndBrowse({ fixture, address, canaries, planted }: World): Promise<[string, string[]][]> {
  const { token } = planted.superAdmin;
  const webhooks = await listenForWebhooks();
  const { json } = await callerAt(address).call('POST', '/api/integrations/webhooks', {
    token,
    body: { url: webhooks.url, description: 'The proof', types: null },
  });
  canaries.plant('secret of a webhook', String(json['secret']));
  // A user who is blacklisted is an event.
  const user = await fixture.owner.selectFrom('platformUser').select('id').limit(1).executeTakeFirstOrThrow();
  const blacklisted = { blacklisted: true, reason: 'For the proof.' };
  await callerAt(address).call('POST', `/api/users/${user.id}/blacklist`, { token, body: blacklisted });
  const exports = await exportAll(fixture, { address, token });
  const { screens, storage } = await browse({ address, ...planted });
  await webhooks.firstRequest();
  webhooks.close();
  return [
    ['exports', exports],
    ['screens', screens],
    ['storage of the browser', storage],
    ['webhooks', webhooks.received],
  ];
}
