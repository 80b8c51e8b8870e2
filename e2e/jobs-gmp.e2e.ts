import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import type { Environment } from './environment.ts';
import { storeJob } from './owner.ts';
import { approveNewest, heading } from './page-helpers.ts';
import { inGate } from './tags.ts';
import { Frequency } from '../contract/src/recurrence.ts';

const alert = (page: Page) => page.getByRole('alert');
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const save = (page: Page) => page.getByRole('button', { name: 'Save Settings' }).click();
const runs = (page: Page) => page.getByRole('table').getByRole('row');

const defaults = {
  amount: '1000.00',
  frequency: 'Daily',
  time: '00:00',
  enabled: false,
  weekday: 1,
  utcOffset: 0,
  percentage: 100,
};

async function openDistribution(page: Page, environment: Environment) {
  const version = await storeJob(environment, 'gmp-distro', defaults);
  await page.goto('/dashboard/settings/cronjobs/gmp-distro');
  await expect(heading(page, 'GMP Distribution')).toBeVisible();
  await expect(runs(page)).toHaveCount(6);
  return version;
}

test(
  'a distribution has its seven fields with their defaults, and a weekday only when it is weekly',
  inGate,
  async ({ page, environment }) => {
    await openDistribution(page, environment);
    await expect(field(page, 'Amount')).toHaveValue('1000.00');
    await expect(field(page, 'Frequency')).toHaveValue('Daily');
    await expect(field(page, 'Frequency').getByRole('option')).toHaveText(['Daily', 'Weekly', 'Monthly']);
    await expect(field(page, 'Time')).toHaveValue('00:00');
    await expect(page.getByRole('switch', { name: 'Enabled' })).not.toBeChecked();
    await expect(field(page, 'UTC offset')).toHaveValue('0');
    await expect(field(page, 'Percentage')).toHaveValue('100');
    const weekday = field(page, 'Weekday');
    await expect(weekday).toHaveValue('1');
    const days = ['1 Monday', '2 Tuesday', '3 Wednesday', '4 Thursday', '5 Friday', '6 Saturday', '7 Sunday'];
    await expect(weekday.getByRole('option')).toHaveText(days);
    for (const frequency of Frequency.options) {
      await field(page, 'Frequency').selectOption(frequency);
      await expect(weekday).toBeEnabled({ enabled: frequency === 'Weekly' });
    }
  },
);

test(
  'a distribution is saved as a new version with an alert, and is still there after a reload',
  inGate,
  async ({ page, environment, visit }) => {
    const version = await openDistribution(page, environment);
    await page.getByRole('switch', { name: 'Enabled' }).click();
    await field(page, 'Amount').fill('2500.125');
    await field(page, 'Percentage').fill('12.5');
    await field(page, 'Frequency').selectOption('Weekly');
    await field(page, 'Weekday').selectOption('7');
    await field(page, 'Time').fill('7:45');
    await field(page, 'UTC offset').fill('-3.25');
    await expect(page.getByText(/Each run shares out 312\.515625/)).toBeVisible();
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await save(page);
    const settings = {
      amount: '2500.125',
      frequency: 'Weekly',
      time: '07:45',
      enabled: true,
      weekday: 7,
      utcOffset: -3.25,
      percentage: 12.5,
    };
    expect((await sent).postDataJSON()).toEqual({ settings, version });
    const message = 'Change requested. It takes effect when a second approver approves it.';
    await expect(alert(page).filter({ hasText: message })).toBeVisible();
    const colleague = await visit({ as: 'kenji.sato' });
    await colleague.goto('/dashboard/approvals');
    await approveNewest(colleague, 'settings');
    await page.reload();
    await expect(field(page, 'Amount')).toHaveValue('2500.125');
    // A change that does not affect the pool takes effect immediately.
    await field(page, 'Time').fill('07:46');
    await save(page);
    await expect(alert(page)).toHaveText(
      `GMP distribution saved as version ${version + 2}. Saving distributes nothing; the next run uses these settings.`,
    );
    await page.reload();
    await expect(page.getByRole('switch', { name: 'Enabled' })).toBeChecked();
    await expect(field(page, 'Amount')).toHaveValue('2500.125');
    await expect(field(page, 'Weekday')).toHaveValue('7');
    await expect(field(page, 'Time')).toHaveValue('07:46');
    await expect(field(page, 'UTC offset')).toHaveValue('-3.25');
    await expect(page.getByText(`Version ${version + 2}, saved by ines.moreau just now`)).toBeVisible();
  },
);
