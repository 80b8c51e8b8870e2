import type { Page } from '@playwright/test';
import { addUser } from '../server/src/core/testing/user.ts';
import { expectAccessible } from './accessible.ts';
import { expect, test } from './fixtures.ts';
import type { Environment } from './environment.ts';
import { withOwner } from './owner.ts';
import { fact, readUser } from './demo-users.ts';
import { answerFault, callApi, freshName, heading, holdLiveUpdates, toast } from './page-helpers.ts';
import { dialog, jobPage, press } from './run-page.ts';
import { onceOnly } from './tags.ts';

const card = (page: Page) => page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Tree' }) });
const kind = (page: Page, name: string) => card(page).locator('.tree-kind').filter({ hasText: name });
const finding = (page: Page, username: string) => card(page).getByRole('listitem').filter({ hasText: username });
const open = async (page: Page) => {
  await page.goto(jobPage('referral-check'));
  await expect(heading(page, 'Referral Check')).toBeVisible();
};

/** Runs a check and waits for its report, which differs from the one before. */
async function checkTree(page: Page) {
  const before = await newestReport(page);
  await press(page, 'Check the tree');
  await expect.poll(async () => (await newestReport(page)).finished).not.toBe(before.finished);
  await expect(card(page).getByText(/^[\d,]+ users checked (just now|\d+ s ago) by ines\.moreau$/)).toBeVisible();
}

async function newestReport(page: Page) {
  const { json } = await callApi(page, 'GET', { path: '/api/referrals/reports' });
  const { newest, finished } = json as Record<'newest' | 'finished', { id: string } | null>;
  return { newest: newest?.id, finished: finished?.id };
}

const wallet = 'Ho1dsForSevera1Peop1eAtOnce11111';

/** Adds users with faults in their referrals. They belong to this test only, so no other figures change. */
const faultyUsers = (environment: Environment) =>
  withOwner(environment, async ({ database, pool }) => {
    const join = (name: string, more: object = {}) => {
      const fresh = freshName(name);
      return addUser(database, { username: fresh, userId: fresh, referralCode: fresh, ...more });
    };
    const first = await join('around', { wallet });
    const second = await join('about', { sponsorId: first.id });
    const alone = await join('alone', { solWalletAddress: wallet });
    const left = await join('left');
    const under = await join('under', { sponsorId: left.id });
    await pool.query('update platform_user set sponsor_id = $2 where id = $1', [first.id, second.id]);
    await pool.query('update platform_user set sponsor_id = id where id = $1', [alone.id]);
    await pool.query('update platform_user set retired_at = now() where id = $1', [left.id]);
    await pool.query(
      `insert into team (user_id, referral_count, total_network, volume_usd) values ($1, 4, 1, 2500000)
       on conflict (user_id) do update set referral_count = 4, total_network = 1, volume_usd = 2500000`,
      [under.id],
    );
    return { first, second, alone, left, under };
  });

test('a check finds faults in the tree; counters are repaired after a second approval', async ({
  page,
  environment,
  visit,
}) => {
  const { first, second, alone, left, under } = await faultyUsers(environment);
  await open(page);
  await checkTree(page);
  await expect(card(page).getByText('Only counters can be repaired.')).toBeVisible();
  await expectAccessible(page);

  for (const name of ['Counters', 'Self-referrals', 'Loops', 'Missing sponsors', 'Shared wallets'])
    await kind(page, name).locator('summary').click();
  const figures = finding(page, under.username).filter({ hasText: 'Referral count' });
  await expect(figures).toContainText('stored 4, tree says 0');
  await expect(figures).toContainText('stored $2.50, tree says $0.00');
  await expect(finding(page, alone.username).first()).toBeVisible();
  await expect(kind(page, 'Loops').getByRole('listitem').filter({ hasText: first.username })).toContainText(
    second.username,
  );
  await expect(kind(page, 'Missing sponsors').getByRole('listitem').filter({ hasText: under.username })).toContainText(
    `referred by ${left.username}`,
  );
  const shared = kind(page, 'Shared wallets').getByRole('listitem').filter({ hasText: first.username });
  await expect(shared).toContainText(alone.username);
  await expectAccessible(page);
  await figures.getByRole('link', { name: under.username }).click();
  await expect(fact(page, 'Referral count')).toHaveText('4');
  await page.goBack();

  await press(page, 'Repair counters…');
  const question = dialog(page, 'Repair Counters');
  await expect(question.getByText(/^Correct the counters of \d+ users\?$/)).toBeVisible();
  await expect(question.getByText('A second approver must approve it first')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await press(page, 'Repair counters…');
  await press(page, 'Request approval');
  await expect(toast(page, 'Sent to a second approver')).toBeVisible();
  await expect(card(page).getByText('ines.moreau requested approval of the repair')).toBeVisible();
  expect(await readUser(page, under.id)).toMatchObject({ referralCount: 4 });

  const address = await card(page).getByRole('link', { name: 'See the request' }).getAttribute('href');
  const colleague = await visit({ as: 'kenji.sato', server: 'second' });
  await colleague.goto(address ?? '');
  await expect(fact(colleague, 'Users')).toHaveText(/^\d+$/);
  await press(colleague, 'Approve');
  await expect(toast(colleague, 'Approved')).toBeVisible();
  await expect(card(page).getByText('kenji.sato approved the request of ines.moreau')).toBeVisible();
  await expect(card(page).getByText('The counters were repaired')).toBeVisible();
  expect(await readUser(page, under.id)).toMatchObject({ referralCount: 0, totalNetwork: 0 });

  await checkTree(page);
  await expect(kind(page, 'Counters')).toContainText('None');
  await expect(page.getByRole('button', { name: 'Repair counters…' })).toHaveCount(0);
  await retire(environment, [first, second, alone, under]);
});

/** Removes the users from all lists again. */
const retire = (environment: Environment, users: readonly { id: string }[]) =>
  withOwner(environment, ({ pool }) =>
    pool.query(
      'update platform_user set retired_at = now(), sponsor_id = null, wallet = id, sol_wallet_address = id where id = any($1)',
      [users.map(({ id }) => id)],
    ),
  );

test(
  'a queued check says so to every administrator, and continues when a worker is running',
  onceOnly,
  async ({ page, environment, visit }) => {
    const colleague = await visit({ as: 'kenji.sato', server: 'second' });
    await open(colleague);
    await open(page);
    const hire = await environment.killWorker();
    await press(page, 'Check the tree');
    for (const screen of [page, colleague]) {
      await expect(card(screen).getByText('Waiting for a worker.')).toBeVisible();
      await expect(card(screen).getByRole('button', { name: 'Check the tree' })).toHaveAccessibleDescription(
        'The tree is being checked already.',
      );
    }
    await hire();
    for (const screen of [page, colleague])
      await expect(card(screen).getByText(/users checked .* by ines\.moreau/)).toBeVisible({ timeout: 30_000 });
  },
);

test(
  'a report that fails to load can be retried; an administrator without the permission sees why',
  onceOnly,
  async ({ visit, watch }) => {
    const page = await visit({ as: 'lucia.brandt' });
    watch.expectFailureOf('/api/referrals/reports');
    await holdLiveUpdates(page);
    await page.route('**/api/referrals/reports', answerFault);
    await open(page);
    await expect(card(page).getByText('The last report could not be loaded.')).toBeVisible();
    await page.unroute('**/api/referrals/reports');
    await card(page).getByRole('button', { name: 'Retry' }).click();
    await expect(card(page).getByRole('button', { name: 'Check the tree' })).toHaveAccessibleDescription(
      'Your role does not allow this.',
    );
  },
);

test('a check without findings says so and offers no repair', async ({ page }) => {
  // Users of other tests remain in this database, so their findings are removed from the report.
  await page.route('**/api/referrals/reports', async (route) => {
    const response = await route.fetch();
    const { newest } = (await response.json()) as { newest: { found: object; wrong: { users: number } } | null };
    const nothing = newest && { ...newest, found: zeros(newest.found), wrong: zeros(newest.wrong) };
    await route.fulfill({ response, json: { newest: nothing, finished: nothing } });
  });
  await open(page);
  await press(page, 'Check the tree');
  await expect(card(page).getByText('Nothing found.')).toBeVisible();
  await expect(card(page).getByText(/users checked .* by ines\.moreau/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Repair counters…' })).toHaveCount(0);
  await expectAccessible(page);
});

const zeros = (figures: object) => Object.fromEntries(Object.keys(figures).map((name) => [name, 0]));
