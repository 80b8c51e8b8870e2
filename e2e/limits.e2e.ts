import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { approveNewest, toast } from './page-helpers.ts';
import { inGate, onceOnly } from './tags.ts';

const dollars = (amount: string) => `$${amount.replace(/\B(?=(\d{3})+\.)/g, ',')}`;
const drawer = (page: Page) => page.getByRole('dialog', { name: 'Limits' });
const limit = (page: Page) => drawer(page).locator('form').filter({ hasText: 'Adjustments in USD' });

async function open(page: Page) {
  await page.goto('/dashboard/approvals');
  await page.getByRole('button', { name: 'Limits' }).click();
  await expect(limit(page)).toBeVisible();
}

test(
  'a changed limit is requested, waits for a second approver, and takes effect when approved',
  inGate,
  async ({ page, visit }) => {
    await open(page);
    const field = limit(page).getByRole('textbox');
    const ask = limit(page).getByRole('button', { name: 'Request change' });
    const before = await field.inputValue();
    const wanted = before === '750.00' ? '800.00' : '750.00';
    await expect(ask).toHaveAccessibleDescription('Nothing has changed yet.');
    await field.fill('much');
    await ask.click();
    await expect(limit(page).getByText('Enter an amount of USD.')).toBeVisible();
    await field.fill(wanted);
    await ask.click();
    await expect(toast(page, 'Sent to a second approver')).toBeVisible();
    await expect(field).toHaveValue(before);
    await expect(limit(page).getByRole('alert')).toContainText(`Limit: ${dollars(before)} → ${dollars(wanted)}.`);

    const colleague = await visit({ as: 'admin' });
    await colleague.goto('/dashboard/approvals');
    await expect(colleague.getByText('Limit: Adjustments').first()).toBeVisible();
    await approveNewest(colleague, 'limit');
    await expect(field).toHaveValue(wanted);
    await expect(limit(page)).toContainText('by ines.moreau and admin');
    await expect(limit(page).getByRole('alert')).toHaveCount(0);
    await page.reload();
    await expect(field).toHaveValue(wanted);
  },
);

test('the limits are those of one administrator, of adjustments, of scheduled runs and of collection', async ({
  page,
}) => {
  await open(page);
  await expect(drawer(page).locator('form label')).toHaveText([
    'Daily limit per administrator in USD',
    'Daily limit per administrator in GMP',
    'Adjustments in USD',
    'Scheduled runs in USD',
    'Scheduled runs in GMP',
    'Collected from a user in USD',
    'Collected from a user in GMP',
  ]);
  await expect(drawer(page)).toContainText(
    'Per day, for everything: withdrawals, rewards, adjustments, runs and reversals.',
  );
});

test('only a SuperAdmin can request a changed limit; everyone can read the limits', onceOnly, async ({ visit }) => {
  const page = await visit({ as: 'kenji.sato' });
  await open(page);
  await expect(limit(page).getByRole('textbox')).toBeDisabled();
  await expect(limit(page).getByRole('button', { name: 'Request change' })).toHaveAccessibleDescription(
    'Your role does not allow this.',
  );
});
