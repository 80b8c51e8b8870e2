import { expect, type Page } from '@playwright/test';
import type { RunKind } from '../contract/src/run-kinds.ts';
import { isOver } from '../contract/src/run-states.ts';
import type { Run, RunDetail } from '../contract/src/runs.ts';
import { callApi, toast } from './page-helpers.ts';

export const runsAddress = '/dashboard/runs';
export const jobPage = (job: RunKind) => `/dashboard/settings/cronjobs/${job}`;
export const rows = (page: Page) => page.locator('tbody tr[data-row]');
export const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
export const state = (page: Page) => page.locator('.run-now .status');
export const answer = (page: Page, title: string, name: string) =>
  dialog(page, title).getByRole('button', { name, exact: true }).click();

export const distribution = {
  amount: '1000.00',
  frequency: 'Daily',
  time: '00:00',
  enabled: false,
  weekday: 1,
  utcOffset: 0,
  percentage: 100,
};

export async function openRun(page: Page, id: string) {
  await page.goto(`${runsAddress}/${id}`);
  await expect(page.getByRole('heading', { name: 'Plan vs. result' })).toBeVisible();
}

export const openLineOf = (page: Page, username = '') =>
  page
    .getByRole('link', { name: new RegExp(`^${username}`) })
    .first()
    .click();

/** A run as JSON. */
type RunAnswer = Omit<Run, 'createdAt'>;
type RunDetailAnswer = Omit<RunDetail, 'run'> & { run: RunAnswer };

export async function readRun(page: Page, id: string) {
  return (await callApi(page, 'GET', { path: `/api/runs/${id}` })).json as RunDetailAnswer;
}

export async function runsOf(page: Page, kind: RunKind) {
  const { json } = await callApi(page, 'GET', { path: `/api/runs?kind=${kind}&limit=100` });
  return (json as { runs: RunAnswer[] }).runs;
}

async function post(page: Page, path: string, body: unknown) {
  const { status, json } = await callApi(page, 'POST', { path, body });
  expect(status, `what ${path} answers: ${JSON.stringify(json)}`).toBe(200);
  return (json as { run: RunAnswer }).run;
}

const becomes = (page: Page, id: string, state: Run['state']) =>
  expect.poll(async () => (await readRun(page, id)).run.state, { timeout: 30_000 }).toBe(state);

export async function plan(page: Page, kind: RunKind) {
  const { id } = await post(page, '/api/runs', { kind });
  await becomes(page, id, 'planned');
  return (await readRun(page, id)).run;
}

export async function start(page: Page, id: string) {
  const { planHash } = (await readRun(page, id)).run;
  await post(page, `/api/runs/${id}/start`, { planHash });
  await becomes(page, id, 'completed');
}

/** Plans the reversal of a run. */
export async function reversal(page: Page, id: string, reason: string) {
  const back = await post(page, `/api/runs/${id}/reverse`, { reason });
  await becomes(page, back.id, 'planned');
  return back;
}

export const steer = (page: Page, id: string, step: 'cancel' | 'pause') =>
  post(page, `/api/runs/${id}/steer`, { step });

/** Cancels all active runs of a kind, because only one may be active. */
export async function cancelAll(page: Page, kind: RunKind) {
  if (page.url() === 'about:blank') await page.goto('/dashboard/maintenance');
  for (const { id, state } of await runsOf(page, kind)) if (!isOver(state)) await steer(page, id, 'cancel');
}

/** Cancels active runs and reverses all payments of a kind that earlier tests or the schedule made. */
export async function reverseAll(page: Page, kind: RunKind) {
  await cancelAll(page, kind);
  for (const { id, state, reversed, reverses } of await runsOf(page, kind)) {
    if (state !== 'completed' || reverses !== null || reversed === 'fully') continue;
    if ((await readRun(page, id)).reversedBy !== null) continue;
    const back = await reversal(page, id, 'Made by a test before.');
    await start(page, back.id);
  }
}

/** Requests a reversal in the open dialog, and checks its plan. */
export async function planReversal(page: Page, reason: string) {
  await answer(page, 'Reverse Run', 'Plan the reversal');
  await expect(page.getByText('Enter a reason.', { exact: true })).toBeVisible();
  await page.getByLabel('Reason').fill(reason);
  await answer(page, 'Reverse Run', 'Plan the reversal');
  await expect(page.getByRole('heading', { level: 1, name: /^Reversal of / })).toBeVisible();
  await expect(state(page)).toHaveText('Planned');
  await expect(page.getByRole('alert').filter({ hasText: reason })).toBeVisible();
}

export async function runIt(page: Page) {
  await press(page, 'Run');
  await answer(page, 'Run', 'Run');
  await expect(toast(page, 'Run started').last()).toBeVisible();
  await expect(state(page)).toHaveText('Completed', { timeout: 30_000 });
}

export async function expectReversed(page: Page, id: string) {
  await openRun(page, id);
  await expect(state(page)).toHaveText('Reversed');
  await expect(page.getByRole('link', { name: 'Open the reversal' })).toBeVisible();
}
