import { expectAccessible } from './accessible.ts';
import { expect, fillLogin, test } from './fixtures.ts';
import { addAdmin, freshName, temporaryPassword } from './pieces.ts';
import { openScene, type Scene } from './scene.ts';
import { scenes } from './scenes.ts';
import { inGate, onceOnly, phoneOnly } from './tags.ts';

const everySize = {};

function sizesOf(scene: Scene) {
  if (scene.onlyUnder !== undefined) return phoneOnly;
  return scene.isScreen ? inGate : everySize;
}

for (const scene of scenes.filter(({ signedIn }) => signedIn === 'admin')) {
  test(`${scene.name} is accessible`, sizesOf(scene), async ({ page }) => {
    await openScene(page, scene);
    await expectAccessible(page);
  });
}

for (const scene of scenes.filter(({ signedIn }) => signedIn === undefined)) {
  test(`${scene.name} is accessible to visitors`, sizesOf(scene), async ({ visitor }) => {
    await openScene(visitor, scene);
    await expectAccessible(visitor);
  });
}

for (const scene of scenes.filter(({ signedIn }) => signedIn === 'newcomer')) {
  test(`${scene.name} is accessible to a new administrator`, async ({ page, visitor }) => {
    await page.goto('/dashboard');
    const username = freshName('newcomer');
    await addAdmin(page, { username });
    await visitor.goto('/login');
    await fillLogin(visitor, { username, password: temporaryPassword });
    await visitor.waitForURL('**/new-password*');
    await openScene(visitor, scene);
    await expectAccessible(visitor);
  });
}

test('the sweep notices a button without a name', onceOnly, async ({ page }) => {
  await page.goto('/dashboard/settings');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.evaluate(() => document.querySelector('main')?.append(document.createElement('button')));
  await expect(expectAccessible(page)).rejects.toThrow('button-name');
});
