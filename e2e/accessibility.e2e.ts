import { expectAccessible } from './accessible.ts';
import { expect, fillLogin, test } from './fixtures.ts';
import { addAdmin, freshName, temporaryPassword } from './page-helpers.ts';
import { openScreen, type Screen } from './screen.ts';
import { screens } from './screen-catalog.ts';
import { onceOnly, phoneOnly } from './tags.ts';

const sizesOf = (screen: Screen) => (screen.onlyUnder === undefined ? {} : phoneOnly);

for (const screen of screens.filter(({ signedIn }) => signedIn === 'admin')) {
  test(`${screen.name} is accessible`, sizesOf(screen), async ({ page }) => {
    await openScreen(page, screen);
    await expectAccessible(page);
  });
}

for (const screen of screens.filter(({ signedIn }) => signedIn === undefined)) {
  test(`${screen.name} is accessible to visitors`, sizesOf(screen), async ({ visitor }) => {
    await openScreen(visitor, screen);
    await expectAccessible(visitor);
  });
}

for (const screen of screens.filter(({ signedIn }) => signedIn === 'newcomer')) {
  test(`${screen.name} is accessible to a new administrator`, async ({ page, visitor }) => {
    await page.goto('/dashboard');
    const username = freshName('newcomer');
    await addAdmin(page, { username });
    await visitor.goto('/login');
    await fillLogin(visitor, { username, password: temporaryPassword });
    await visitor.waitForURL('**/new-password*');
    await openScreen(visitor, screen);
    await expectAccessible(visitor);
  });
}

test('the sweep notices a button without a name', onceOnly, async ({ page }) => {
  await page.goto('/dashboard/settings');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.evaluate(() => document.querySelector('main')?.append(document.createElement('button')));
  await expect(expectAccessible(page)).rejects.toThrow('button-name');
});
