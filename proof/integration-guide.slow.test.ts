import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../tools/ports.ts';
import { openDocument } from './guide/document.ts';
import { approve, openPanel, openProfile, type Panel } from './guide/panel.ts';
import { openMachine, type Started } from './installation/machine.ts';
import { publish } from './installation/repository.ts';

/*
 * An ordinary account follows docs/integration.md to the letter: a fresh clone, npm ci, npm run dev, every command and
 * file of the guide, and in a browser everything that it prints in bold.
 */
const guide = openDocument('docs/integration.md');
const errors = openDocument('docs/integration/errors.md');
const goingLive = openDocument('docs/integration/going-live.md');
const machine = await openMachine();
const repository = await publish(machine);
const home = machine.own('home');
const clone = path.join(home, 'bursar');
const platform = path.join(home, 'platform');
const started: Started[] = [];
const panels: Panel[] = [];

afterAll(async () => {
  await Promise.all(panels.map((panel) => panel.close()));
  for (const program of started.toReversed()) await program.interrupt();
  await machine.close();
}, 120_000);

/** What differs on this machine: ports that are taken, and the secrets that the panel shows. */
const differing = new Map<string, string>();
const here = (text: string) => {
  let result = text;
  for (const [from, to] of differing) result = result.replaceAll(from, to);
  return result;
};

async function type(lines: string, cwd: string) {
  const { code, output } = await machine.type(here(lines), { cwd });
  if (code !== 0) throw new Error(`This ended with ${code}:\n${lines}\n${output}`);
  return output;
}

function start(line: string, cwd: string) {
  const program = machine.start(here(line).trim(), { cwd });
  started.push(program);
  return program;
}

/** Waits until the output of a program matches, and returns the match. */
async function output(program: Started, pattern: RegExp, seconds = 60) {
  for (const latest = Date.now() + seconds * 1_000; Date.now() < latest; await wait(100)) {
    const found = pattern.exec(program.output());
    if (found) return found;
    if (program.hasEnded()) break;
  }
  throw new Error(`${pattern} was not printed:\n${program.output()}`);
}

const writeScript = (name: string, document = guide) =>
  writeFile(path.join(platform, name), here(document.block(name)));

/** Writes a script, runs it with the command of the guide, and compares its output with that in the guide. */
async function runScript(name: string) {
  await writeScript(`${name}.mjs`);
  expect(await type(guide.block(name), platform)).toBe(guide.block(`${name}-printed`));
}

test('the guide leads from a clone to a payment that is explained', async () => {
  await repository.clone(clone);
  const [install = '', dev = ''] = guide.block('start').trim().split('\n');
  await type(install, clone);
  const bursar = start(dev, clone);
  const [, port = ''] = await output(bursar, /Address {7}http:\/\/localhost:(\d+)\n.*Demo sign-in.*\n/, 240);
  differing.set('5173', port).set('4000', String(await freePort(4000)));
  expect(bursar.output()).toContain(here(guide.block('ready')));

  const address = `http://localhost:${port}`;
  differing.set('https://bursar.example.com', address);
  const panel = await openPanel(address, guide);
  panels.push(panel);
  await signIn(panel);
  await createKey(panel);
  await installClient();
  await addUsers(panel);
  await placeStake(panel);
  const receiver = await receiveWebhooks(panel);
  await followWithdrawals(panel, receiver);
  await payStakes(panel, receiver);
  await runOtherExamples();

  expect([...guide.unused]).toEqual([]);
  expect(guide.fences, 'all code blocks have names').toBe(guide.blocks);
  await bursar.interrupt();
  expect(bursar.output()).toMatch(/Stopped\.\s*$/);
}, 1_200_000);

/** The examples of other pages that need an installed client or a worker. */
async function runOtherExamples() {
  await writeScript('errors.mjs', errors);
  expect(await type('node --env-file=.env errors.mjs', platform)).toBe(errors.block('errors-printed'));
  await type(goingLive.block('watch'), platform);
}

async function signIn({ fill, press, page }: Panel) {
  const [, username = '', password = ''] = / {2}(\S+) \/ (\S+)\n/.exec(guide.block('ready')) ?? [];
  await fill('Username', username);
  await fill('Password', password);
  await press('Login');
  await page.locator('.chart-line').waitFor();
}

/** Copies the secret that a dialog shows once. */
async function copySecret({ dialog, press }: Panel, title: string) {
  const secret = await dialog(title).locator('code').textContent();
  await press('Done', dialog(title));
  return secret ?? '';
}

async function createKey(panel: Panel) {
  const { open, press, fill, dialog, page, seeBold } = panel;
  await open('Integrations');
  await press('Create API key');
  await fill('Name', 'My platform');
  const [scopes = ''] = /choose the scopes .*/.exec(guide.prose) ?? [];
  for (const [, scope = ''] of scopes.matchAll(/`([a-z]+:[a-z]+)`/g)) {
    await page.getByLabel(`(${scope})`).check();
  }
  await press('Create API key', dialog('Create API key'));
  differing.set('bursar_your_secret', await copySecret(panel, 'Create API key'));
  await seeBold('Awaiting approval');
  await approve(panel, 'API key: My platform');
  await open('Integrations');
  await seeBold('Active');
}

async function installClient() {
  await type(guide.block('client'), clone);
  await writeFile(path.join(platform, '.env'), here(guide.block('.env')));
  await writeScript('bursar.mjs');
  expect(JSON.parse(await type(guide.block('key'), platform))).toMatchObject({ name: 'My platform' });
}

async function addUsers(panel: Panel) {
  await runScript('users');
  expect(await type(guide.block('users'), platform)).toBe(guide.block('users-repeated'));
  await openProfile(panel, 'milo.guide');
  await panel.choose('Referral tree');
  await panel.page.getByRole('navigation', { name: 'Sponsors' }).getByText('nora.guide').waitFor();
}

async function placeStake({ choose, see, page }: Panel) {
  await runScript('stake');
  await see('$400.00');
  await choose('Stakes');
  await page.getByTitle('stake-1', { exact: true }).waitFor();
}

async function receiveWebhooks(panel: Panel) {
  const { open, choose, press, fill, dialog, page, seeBold } = panel;
  await open('Integrations');
  await choose('Webhooks');
  await press('Add webhook');
  const url = 'http://127.0.0.1:4000/';
  await fill('URL', here(url));
  await press('Add webhook', dialog('Add webhook'));
  differing.set('whsec_your_secret', await copySecret(panel, 'Add webhook'));
  await appendFile(path.join(platform, '.env'), here(guide.block('webhook-secret')));
  await writeScript('receiver.mjs');
  const receiver = start(guide.block('receiver'), platform);
  await page.getByRole('link', { name: here(guide.bold(url)) }).click();
  await press('Send test event');
  await output(receiver, /^webhook\.test/m);
  await seeBold('Delivered', page.getByRole('list'));
  await page.keyboard.press('Escape');
  return receiver;
}

async function followWithdrawals(panel: Panel, receiver: Started) {
  const { open, choose, press, page, fill, dialog } = panel;
  await open('Manage Withdrawals');
  await choose('Settlement');
  await page.getByLabel(guide.bold('The platform sends')).check();
  await press('Request change');
  await approve(panel, 'Settings: Administrators → The platform');
  await runScript('withdraw');
  await open('Manage Withdrawals');
  await fill('Search by user', 'milo.guide');
  for (const amount of ['$40.00', '$25.00']) {
    const row = page.locator('tbody tr[data-row]').filter({ hasText: 'milo.guide' }).filter({ hasText: amount });
    await row.getByRole('link', { name: 'View withdrawal of milo.guide' }).click();
    await press('Approve', dialog('Withdrawal'));
    await press('Approve', dialog('Approve Withdrawal'));
    await dialog('Withdrawal').getByText('Not sent yet').waitFor();
    await page.keyboard.press('Escape');
    await dialog('Withdrawal').waitFor({ state: 'detached' });
  }
  await output(receiver, /withdrawal\.approved[\s\S]*isAsked: true[\s\S]*withdrawal\.approved[\s\S]*isAsked: true/);
  await runScript('report');
  for (const state of ['Completed', 'Failed']) {
    await page
      .locator('tbody tr[data-row]')
      .filter({ hasText: guide.bold(state) })
      .waitFor();
  }
  await runScript('events');
}

async function payStakes(panel: Panel, receiver: Started) {
  const { open, press, page, dialog, choose } = panel;
  await press('Settings');
  await open('Stake Payout Job');
  await press('Preview');
  const state = page.locator('.run-now .status');
  await state.filter({ hasText: guide.bold('Planned') }).waitFor();
  await press('Run');
  await press('Run', dialog('Run'));
  await state.filter({ hasText: guide.bold('Completed') }).waitFor();
  await output(receiver, /^payment\.made/m);
  await runScript('payments');
  await openProfile(panel, 'milo.guide');
  await choose('Due and paid');
  await page.getByRole('link', { name: /^\$0\.30\s*, why/ }).click();
  const why = dialog(guide.bold('Why this amount'));
  await why.getByRole('button', { name: guide.bold('Copy as text') }).waitFor();
  const shown = await why.innerText();
  const [, table = ''] = guide.prose.split('| Part |');
  for (const row of table.split('\n').slice(2, 6)) {
    for (const cell of row.split('|').map((text) => text.trim())) expect(shown).toContain(cell);
  }
}
