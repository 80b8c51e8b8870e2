import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { fact, demoUser } from './demo-users.ts';
import { answerFault, callApi, countCalls, heading } from './page-helpers.ts';
import { inGate, onceOnly } from './tags.ts';

type Member = { id: string; userId: string; username: string; rank: string; referralCount: number };

async function read<T>(page: Page, path: string) {
  const { status, json } = await callApi(page, 'GET', { path });
  expect(status).toBe(200);
  return json as T;
}

const teamOf = async (page: Page, id: string) =>
  (await read<{ team: Member[]; nextCursor: string | null }>(page, `/api/users/${id}/team`)).team;

const tree = (page: Page) => page.getByRole('tree');
const line = (page: Page, { username }: Member) =>
  tree(page)
    .getByRole('treeitem')
    .filter({ has: page.getByRole('link', { name: username, exact: true }) });
const below = (page: Page, level = 2) => tree(page).getByRole('treeitem', { level });

/** Opens the referral tree of a demo user; by default the one with the largest team. */
async function openTree(page: Page, place = 0) {
  const found = await demoUser(page, place);
  await page.goto(found.address);
  await page.getByRole('link', { name: 'Referral tree' }).click();
  await expect(page).toHaveURL(/tab=team/);
  const team = await teamOf(page, found.id);
  if (team.length > 0) await expect(tree(page)).toBeVisible();
  return { ...found, team };
}

const withTeam = (team: Member[]) => {
  const found = team.find(({ referralCount }) => referralCount > 0);
  if (!found) throw new Error('Nobody of this team has a team.');
  return found;
};

test(
  'the team is shown as a tree, each member with user ID, rank, direct referrals, network and volumes',
  inGate,
  async ({ page }) => {
    const { username, team } = await openTree(page);
    await expect(tree(page)).toHaveAccessibleName(`Team of ${username}`);
    await expect(tree(page).getByRole('treeitem').first()).toBeVisible();
    const member = withTeam(team);
    const shown = line(page, member);
    await expect(shown).toContainText(member.userId);
    await expect(shown).toContainText(member.rank === 'none' ? 'No rank' : member.rank);
    await expect(shown).toContainText(`${member.referralCount}direct`);
    await expect(shown.locator('[data-figure="network"]')).toContainText(/\d+network/);
    await expect(shown.locator('[data-figure="volume"]').first()).toContainText(/[\d,.]+SOL/);
    await expect(shown.locator('[data-figure="volume"]').last()).toContainText(/\$[\d,.]+/);
  },
);

test('a level is fetched when it is opened, and not before', onceOnly, async ({ page }) => {
  const { team } = await openTree(page);
  const member = withTeam(team);
  const calls = countCalls(page, `/api/users/${member.id}/team`);
  const item = line(page, member);
  await expect(item).toHaveAttribute('aria-expanded', 'false');
  expect(calls()).toBe(0);
  await item.locator('.tree-toggle').click();
  await expect(item).toHaveAttribute('aria-expanded', 'true');
  const theirs = await teamOf(page, member.id);
  await expect(below(page)).toHaveCount(theirs.length);
  for (const [index, { userId }] of theirs.entries()) await expect(below(page).nth(index)).toContainText(userId);
  await item.locator('.tree-toggle').click();
  await expect(below(page)).toHaveCount(0);
});

test('the tree can be navigated with the keyboard alone', async ({ page }) => {
  const { team } = await openTree(page);
  const member = withTeam(team);
  const first = tree(page).getByRole('treeitem').first();
  await page.getByRole('link', { name: 'Referral tree' }).focus();
  while (!(await first.evaluate((item) => item === document.activeElement))) await page.keyboard.press('Tab');
  for (let at = 0; at < team.indexOf(member); at += 1) {
    await page.keyboard.press('ArrowDown');
  }
  const item = line(page, member);
  await expect(item).toBeFocused();
  await page.keyboard.press('ArrowRight');
  const child = below(page).first();
  await expect(child).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(child).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(item).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(item).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press(' ');
  await expect(item).toHaveAttribute('aria-expanded', 'true');
  await page.keyboard.press('End');
  await expect(tree(page).getByRole('treeitem').last()).toBeFocused();
  await page.keyboard.press('Home');
  await expect(first).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(fact(page, 'Username')).toHaveText(team[0]?.username ?? '');
});

test('the path of sponsors leads up to the first one, and each is a link', async ({ page }) => {
  const { id, username } = await openTree(page);
  // Descend to the deepest level of the demo's tree.
  let deepest = { id, username };
  for (;;) {
    const next = (await teamOf(page, deepest.id)).toSorted((a, b) => b.referralCount - a.referralCount)[0];
    if (!next) break;
    deepest = next;
  }
  await page.goto(`/dashboard/user-profile/${deepest.id}?tab=team`);
  const { sponsors } = await read<{ sponsors: Member[] }>(page, `/api/users/${deepest.id}/sponsors`);
  const path = page.getByRole('navigation', { name: 'Sponsors' });
  const more = path.getByRole('button', { name: /\d+ more/ });
  await expect(path.getByRole('listitem').first()).toHaveText(username);
  await expect(path.locator('[aria-current="true"]')).toHaveText(deepest.username);
  if (await more.isVisible()) await more.click();
  const names = sponsors.map((sponsor) => sponsor.username).toReversed();
  await expect(path.getByRole('listitem')).toHaveText([...names, deepest.username]);
  await expect(page.getByText('No referrals yet.', { exact: true })).toBeVisible();
  await path.getByRole('link', { name: username, exact: true }).click();
  await expect(fact(page, 'Username')).toHaveText(username);
  await expect(heading(page, 'User Profile')).toBeVisible();
});

test('a long level is shown a page at a time', onceOnly, async ({ page }) => {
  const { id, address } = await demoUser(page, 0);
  await page.goto(address);
  const team = await teamOf(page, id);
  const [first] = team;
  if (!first) throw new Error('There is no team.');
  const many = Array.from({ length: 60 }, (_, index) => ({
    ...first,
    id: `019c0000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    username: `made.up.${index}`,
    referralCount: 0,
  }));
  await page.route('**/api/users/*/team*', async (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
    const to = from + 25;
    const rest = { previousCursor: null, total: { count: many.length, capped: false }, firstRow: from + 1 };
    await route.fulfill({
      json: { team: many.slice(from, to), nextCursor: to < many.length ? String(to) : null, ...rest },
    });
  });
  await page.getByRole('link', { name: 'Referral tree' }).click();
  const items = tree(page).getByRole('treeitem');
  await expect(items).toHaveCount(26);
  await items.last().click();
  await expect(items).toHaveCount(51);
  await expect(items.last()).toHaveText('Show 10 more');
  await items.last().press('Enter');
  await expect(items).toHaveCount(60);
  await expect(items.nth(49)).toBeFocused();
  await expect(items.last()).toContainText('made.up.59');
});

test('a level that fails to load says so and can be retried', onceOnly, async ({ page, watch }) => {
  const { team } = await openTree(page);
  const member = withTeam(team);
  watch.expectFailureOf(`/api/users/${member.id}/team`);
  await page.route(`**/api/users/${member.id}/team*`, answerFault, { times: 1 });
  const item = line(page, member);
  await item.locator('.tree-toggle').click();
  await tree(page)
    .getByRole('treeitem', { name: /Press to retry/ })
    .click();
  await expect(below(page)).toHaveCount((await teamOf(page, member.id)).length);
});
