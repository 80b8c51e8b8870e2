import type { Page } from '@playwright/test';
import { Frequency, nextRuns } from '../contract/src/jobs.ts';
import { expect, test } from './fixtures.ts';
import type { House } from './house.ts';
import { storeJob } from './owner.ts';
import { approveNewest, countCalls, heading } from './pieces.ts';
import { inGate, onceOnly } from './tags.ts';

// A zone without summer time, half an hour off: what is shown in it can be told from UTC.
test.use({ timezoneId: 'Asia/Kolkata' });

const alert = (page: Page) => page.getByRole('alert');
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const save = (page: Page) => page.getByRole('button', { name: 'Save Settings' }).click();
const runs = (page: Page) => page.getByRole('table').getByRole('row');

const begins = {
  amount: '1000.00',
  frequency: 'Daily',
  time: '00:00',
  enabled: false,
  weekday: 1,
  utcOffset: 0,
  percentage: 100,
};

async function openDistribution(page: Page, house: House) {
  const version = await storeJob(house, 'gmp-distro', begins);
  await page.goto('/dashboard/settings/cronjobs/gmp-distro');
  await expect(heading(page, 'GMP Distribution')).toBeVisible();
  await expect(runs(page)).toHaveCount(6);
  return version;
}

const say = (run: Date, timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: '2-digit',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(run);

test(
  'a distribution has its seven fields with their defaults, and a weekday only when it is weekly',
  inGate,
  async ({ page, house }) => {
    await openDistribution(page, house);
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
  'a distribution is saved as a new version with an alert, and is there after a reload',
  inGate,
  async ({ page, house, visit }) => {
    const version = await openDistribution(page, house);
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
    const asked = 'Nothing is changed yet: a second person has to approve it first.';
    await expect(alert(page).filter({ hasText: asked })).toBeVisible();
    const colleague = await visit({ as: 'kenji.sato' });
    await colleague.goto('/dashboard/approvals');
    await approveNewest(colleague, 'settings');
    await page.reload();
    await expect(field(page, 'Amount')).toHaveValue('2500.125');
    // What does not change the pool is in force at once.
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

test('the next five runs follow what is typed, in UTC and in the viewer’s time', onceOnly, async ({ page, house }) => {
  await openDistribution(page, house);
  const calls = countCalls(page, '/api/jobs/gmp-distro', 'POST');
  await expect(page.getByRole('columnheader')).toHaveText(['UTC', /^Your time \(Asia\/(Kolkata|Calcutta)\)$/]);
  await field(page, 'Frequency').selectOption('Weekly');
  await field(page, 'Weekday').selectOption('3');
  await field(page, 'Time').fill('23:30');
  await field(page, 'UTC offset').fill('5.75');
  const recurrence = { frequency: 'Weekly', weekday: 3, time: '23:30', utcOffset: 5.75 } as const;
  const expected = nextRuns(recurrence, new Date(), 5);
  expect(expected.map((run) => run.toISOString().slice(11, 16))).toEqual(Array.from({ length: 5 }, () => '17:45'));
  for (const [index, run] of expected.entries()) {
    const cells = runs(page)
      .nth(index + 1)
      .getByRole('cell');
    await expect(cells).toHaveText([say(run, 'UTC'), say(run, 'Asia/Kolkata')]);
  }
  await field(page, 'UTC offset').fill('15');
  await expect(page.getByText('Enter a time and an offset to see when it would run.')).toBeVisible();
  expect(calls()).toBe(0);
});

test('what cannot be is refused at its field, and nothing is sent', onceOnly, async ({ page, house }) => {
  await openDistribution(page, house);
  const calls = countCalls(page, '/api/jobs/gmp-distro', 'POST');
  for (const [name, wrong, words] of [
    ['Amount', '0', 'Enter an amount above 0, with at most 6 decimals.'],
    ['Amount', '1.0000001', 'Enter an amount above 0, with at most 6 decimals.'],
    ['Time', '24:00', 'Enter a time from 00:00 to 23:59.'],
    ['UTC offset', '14.25', 'Enter an offset from -12 to 14 in steps of 0.25.'],
    ['UTC offset', '0.1', 'Enter an offset from -12 to 14 in steps of 0.25.'],
    ['Percentage', '100.5', 'Enter a percentage from 0 to 100.'],
  ] as const) {
    const before = await field(page, name).inputValue();
    await field(page, name).fill(wrong);
    await save(page);
    await expect(page.getByText(words)).toBeVisible();
    await expect(field(page, name)).toBeFocused();
    await field(page, name).fill(before);
    await expect(page.getByText(words)).toHaveCount(0);
  }
  await expect(alert(page)).toHaveCount(0);
  expect(calls()).toBe(0);
});
