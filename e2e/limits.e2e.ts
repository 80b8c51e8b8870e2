import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { approveNewest, toast } from './page-helpers.ts';
import { inGate, onceOnly } from './tags.ts';

const dollars = (amount: string) => `$${amount.replace(/\B(?=(\d{3})+\.)/g, ',')}`;
const drawer = (page: Page) => page.getByRole('dialog', { name: 'Limits' });
const task = (page: Page) => drawer(page).locator('form').filter({ hasText: 'Task rewards in USD' });

async function open(page: Page) {
  await page.goto('/dashboard/approvals');
  await page.getByRole('button', { name: 'Limits' }).click();
  await expect(task(page)).toBeVisible();
}

test(
  'a changed limit is requested, waits for a second approver, and takes effect when approved',
  inGate,
  async ({ page, visit }) => {
    await open(page);
    const field = task(page).getByRole('textbox');
    const ask = task(page).getByRole('button', { name: 'Request change' });
    const before = await field.inputValue();
    const wanted = before === '750.00' ? '800.00' : '750.00';
    await expect(ask).toHaveAccessibleDescription('Nothing has changed yet.');
    await field.fill('much');
    await ask.click();
    await expect(task(page).getByText('Enter an amount of USD.')).toBeVisible();
    await field.fill(wanted);
    await ask.click();
    await expect(toast(page, 'Sent to a second approver')).toBeVisible();
    await expect(field).toHaveValue(before);
    await expect(task(page).getByRole('alert')).toContainText(`Limit: ${dollars(before)} → ${dollars(wanted)}.`);

    const colleague = await visit({ as: 'kenji.sato' });
    await colleague.goto('/dashboard/approvals');
    await expect(colleague.getByText('Limit: Task rewards').first()).toBeVisible();
    await approveNewest(colleague, 'limit');
    await expect(field).toHaveValue(wanted);
    await expect(task(page)).toContainText('by ines.moreau and kenji.sato');
    await expect(task(page).getByRole('alert')).toHaveCount(0);
    await page.reload();
    await expect(field).toHaveValue(wanted);
  },
);

test('only a SuperAdmin can request a changed limit; everyone can read the limits', onceOnly, async ({ visit }) => {
  const page = await visit({ as: 'kenji.sato' });
  await open(page);
  await expect(task(page).getByRole('textbox')).toBeDisabled();
  await expect(task(page).getByRole('button', { name: 'Request change' })).toHaveAccessibleDescription(
    'Your role does not allow this.',
  );
});
