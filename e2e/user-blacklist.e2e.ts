import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { fact, demoUser, readUser } from './demo-users.ts';
import { callApi, toast } from './page-helpers.ts';
import { inGate, onceOnly } from './tags.ts';

const state = (page: Page) => page.locator('.user-head-state');
const blacklistButton = (page: Page) => page.getByRole('button', { name: 'Blacklist', exact: true });
const unblacklistButton = (page: Page) => page.getByRole('button', { name: 'Unblacklist', exact: true });

async function openProfile(page: Page, place: number) {
  const found = await demoUser(page, place);
  await page.goto(found.address);
  await expect(page.getByRole('button', { name: 'Edit Profile' })).toBeVisible();
  return found;
}

test(
  'Blacklist asks for a reason, is shown at the top and stored, and Unblacklist removes it',
  inGate,
  async ({ page }) => {
    const { id } = await openProfile(page, 60);
    await expect(state(page)).toHaveText('Not blacklisted');
    await blacklistButton(page).click();
    const modal = page.getByRole('dialog');
    await modal.getByRole('button', { name: 'Blacklist' }).click();
    await expect(modal.getByText('Enter a reason.', { exact: true })).toBeVisible();
    await modal.getByLabel('Reason').fill('no');
    await expect(modal.getByText('Give a reason of at least three characters.')).toBeVisible();
    expect(await readUser(page, id)).toMatchObject({ isBlacklisted: false });
    await modal.getByLabel('Reason').fill('Several accounts');
    await modal.getByRole('button', { name: 'Blacklist' }).click();
    await expect(modal).toHaveCount(0);
    await expect(toast(page, 'User blacklisted')).toBeVisible();
    await page.reload();
    await expect(state(page)).toContainText('Blacklisted');
    await expect(state(page)).toContainText('Several accounts');
    await expect(fact(page, 'Is blacklisted')).toHaveText('yes');

    await unblacklistButton(page).click();
    await modal.getByLabel('Reason').fill('A mistake of ours');
    await modal.getByRole('button', { name: 'Unblacklist' }).click();
    await expect(state(page)).toHaveText('Not blacklisted');
    await page.reload();
    await expect(state(page)).toHaveText('Not blacklisted');
    await expect(blacklistButton(page)).toBeVisible();
  },
);

test(
  'a blacklisting appears immediately in the profile that another administrator has open',
  onceOnly,
  async ({ page, visit }) => {
    const { id } = await openProfile(page, 61);
    const colleague = await visit({ as: 'amara.osei', server: 'second' });
    const stream = colleague.waitForResponse('**/api/events');
    await openProfile(colleague, 61);
    expect((await stream).status()).toBe(200);
    const body = { blacklisted: true, reason: 'Seen at both processes' };
    const { status, answeredAt } = await callApi(page, 'POST', { path: `/api/users/${id}/blacklist`, body });
    expect(status).toBe(200);
    await expect(state(colleague)).toContainText('Seen at both processes', { timeout: 1_000 });
    expect(Date.now() - answeredAt).toBeLessThan(2_000);
  },
);

test(
  'two administrators blacklist concurrently: one succeeds, the other is informed',
  onceOnly,
  async ({ page, visit, watch }) => {
    const { id } = await openProfile(page, 62);
    const colleague = await visit({ as: 'tomasz.lind', server: 'second' });
    await openProfile(colleague, 62);
    watch.expectFailureOf(`/api/users/${id}/blacklist`);
    const pages = [page, colleague];
    let waiting = pages.length;
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const one of pages) {
      await one.route(`**/api/users/${id}/blacklist`, async (route) => {
        waiting -= 1;
        if (waiting === 0) resolve();
        await promise;
        await route.continue();
      });
      await blacklistButton(one).click();
      await one.getByRole('dialog').getByLabel('Reason').fill('At the same time');
    }
    const answers = pages.map((one) => one.waitForResponse(`**/api/users/${id}/blacklist`));
    await Promise.all(pages.map((one) => one.getByRole('dialog').getByRole('button', { name: 'Blacklist' }).click()));
    const codes = (await Promise.all(answers)).map((answer) => String(answer.status())).toSorted();
    expect(codes).toEqual(['200', '409']);
    const toasts = pages.map((one) => toast(one, 'Someone else has just done this.'));
    const toldIn = async () => (await Promise.all(toasts.map((one) => one.count()))).reduce((sum, one) => sum + one, 0);
    await expect.poll(toldIn).toBe(1);
    for (const one of pages) await expect(state(one)).toContainText('At the same time');
  },
);

for (const username of ['amara.osei', 'kenji.sato', 'lucia.brandt']) {
  test(
    `${username}, who may not write users, sees both buttons disabled with the reason`,
    onceOnly,
    async ({ visit }) => {
      const page = await visit({ as: username });
      await openProfile(page, 63);
      for (const button of [blacklistButton(page), page.getByRole('button', { name: 'Edit Profile' })]) {
        await expect(button).toHaveAttribute('aria-disabled', 'true');
        await expect(button).toHaveAccessibleDescription('Your role does not allow this.');
        await button.click({ force: true });
      }
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await expect(page.getByRole('button', { name: 'Save Changes' })).toHaveCount(0);
    },
  );
}
