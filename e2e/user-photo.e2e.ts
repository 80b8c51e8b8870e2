import type { Page } from '@playwright/test';
import { coloredPng, colorOf } from './colors.ts';
import { expect, test } from './fixtures.ts';
import { demoUser } from './demo-users.ts';
import { toast } from './page-helpers.ts';
import { onceOnly } from './tags.ts';

const face = (page: Page, username: string) => page.getByRole('img', { name: username, exact: true });
const photoInput = (page: Page) => page.locator('input[type="file"]');

async function openProfile(page: Page, place: number) {
  const found = await demoUser(page, place);
  await page.goto(found.address);
  await expect(page.getByRole('button', { name: 'Edit Profile' })).toBeVisible();
  return found;
}

async function edit(page: Page) {
  await page.getByRole('button', { name: 'Edit Profile' }).click();
  await expect(page.getByRole('button', { name: 'Replace photo' })).toBeVisible();
}

const choose = (page: Page, file: { name: string; mimeType: string; buffer: Buffer }) =>
  photoInput(page).setInputFiles(file);

test('a photo is replaced in edit mode, shown immediately, and still there after a reload', async ({ page }) => {
  const { username } = await openProfile(page, 40);
  await expect(face(page, username)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Replace photo' })).toHaveCount(0);
  await edit(page);
  await expect(photoInput(page)).toHaveAttribute('accept', 'image/*');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Replace photo' }).click();
  await (await chooser).setFiles({ name: 'me.png', mimeType: 'image/png', buffer: coloredPng([250, 5, 5]) });
  await expect(toast(page, 'Photo replaced')).toBeVisible();
  await expect.poll(() => colorOf(face(page, username))).toBe('red');
  await choose(page, { name: 'again.png', mimeType: 'image/png', buffer: coloredPng([5, 5, 250]) });
  await expect.poll(() => colorOf(face(page, username))).toBe('blue');
  await page.reload();
  await expect.poll(() => colorOf(face(page, username))).toBe('blue');
});

test(
  'a file that only claims to be an image is refused by the server, and the reason is shown in place',
  onceOnly,
  async ({ page, watch }) => {
    const { id, username } = await openProfile(page, 42);
    watch.expectFailureOf(`/api/users/${id}/photo`);
    await edit(page);
    await choose(page, { name: 'me.png', mimeType: 'image/png', buffer: Buffer.from('<script>alert(1)</script>') });
    const message = 'The photo must be a JPEG, PNG, WebP or GIF image of at most 16 megapixels.';
    await expect(page.getByRole('alert').filter({ hasText: message })).toBeVisible();
    await choose(page, { name: 'me.png', mimeType: 'image/png', buffer: coloredPng([5, 250, 5]) });
    await expect.poll(() => colorOf(face(page, username))).toBe('green');
    await expect(page.getByRole('alert').filter({ hasText: message })).toHaveCount(0);
  },
);

/** Resolves to the time at which another photo is shown, by the clock that both browsers share. */
function replacedAt(page: Page) {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const shown = () => document.querySelector('img.user-face')?.getAttribute('src');
        const before = shown();
        const observer = new MutationObserver(() => {
          if (!shown() || shown() === before) return;
          observer.disconnect();
          resolve(Date.now());
        });
        observer.observe(document.body, { subtree: true, childList: true, attributes: true });
      }),
  );
}

test(
  'a new photo appears in another browser at another process without a reload',
  onceOnly,
  async ({ page, visit }) => {
    const { username, address } = await openProfile(page, 43);
    const colleague = await visit({ as: 'amara.osei', server: 'second' });
    const stream = colleague.waitForResponse('**/api/events');
    await colleague.goto(address);
    await stream;
    await expect(colleague.getByRole('button', { name: 'Edit Profile' })).toBeVisible();
    await edit(page);
    for (const [color, shown] of [
      [[250, 5, 5], 'red'],
      [[5, 250, 5], 'green'],
    ] as const) {
      const seen = replacedAt(colleague);
      const answered = page.waitForResponse('**/photo');
      await choose(page, { name: 'me.png', mimeType: 'image/png', buffer: coloredPng([...color]) });
      const answer = await answered;
      expect(answer.status()).toBe(200);
      await answer.finished();
      const { startTime, responseEnd } = answer.request().timing();
      expect((await seen) - startTime - responseEnd).toBeLessThan(1_000);
      await expect.poll(() => colorOf(face(colleague, username))).toBe(shown);
    }
  },
);
