import { streamEvents } from 'contract/events.ts';
import { readMaintenance } from 'contract/maintenance.ts';
import { listWithdrawals, readWithdrawal, readWithdrawalSwitch, setWithdrawalSwitch } from 'contract/withdrawals.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { anyToast, dialog, expectNone, main, retryIn, toast } from '#panel/testing/screen.ts';
import { answer, emit, fault, hold, refuse, restore } from '#panel/testing/server.ts';
import { answerWithdrawals, withdrawal } from '#panel/testing/withdrawal-answers.ts';

const address = '/dashboard/manage-withdraw';
const theSwitch = () => page.getByRole('switch', { name: 'Enable withdrawals' });

test('an unknown withdrawal is reported as not existing', async () => {
  answerWithdrawals([withdrawal()]);
  refuse(readWithdrawal, 'WithdrawalNotFound');
  visitSignedIn(`${address}?withdrawal=019c0000-0000-7000-8000-000000000000`);
  await expect.element(dialog().getByText('This withdrawal does not exist.')).toBeVisible();
});

test('a failed switch keeps its state and can be retried', async () => {
  let enabled = true;
  answerWithdrawals([withdrawal()]);
  answer(readWithdrawalSwitch, () => ({ switch: { enabled, changedBy: null, changedAt: null } }));
  answer(setWithdrawalSwitch, ({ body }) => {
    enabled = body.enabled;
    return { switch: { enabled, changedBy: 'ines.moreau', changedAt: new Date() } };
  });
  fault(setWithdrawalSwitch);
  visitSignedIn(address);
  await theSwitch().click();
  await expect.element(toast('Failed to change the withdrawal setting')).toBeVisible();
  await expect.element(theSwitch()).toBeChecked();
  restore(setWithdrawalSwitch);
  await retryIn('Failed to change the withdrawal setting');
  await expect.element(theSwitch()).not.toBeChecked();
});

test('during maintenance the settings card says that withdrawals are frozen', async () => {
  const text = 'Withdrawals are frozen while the platform is under maintenance, regardless of this setting.';
  let active = false;
  answerWithdrawals([withdrawal()]);
  answer(readMaintenance, () => {
    const now = new Date();
    const endsAt = active ? new Date(now.getTime() + 3_600_000) : null;
    return { maintenance: { active, endsAt, changedBy: null, changedAt: null, now } };
  });
  visitSignedIn(address);
  await expect.element(theSwitch()).toBeVisible();
  await expectNone(page.getByText(text));
  active = true;
  emit('maintenance');
  await expect.element(page.getByText(text, { exact: true })).toBeVisible();
  active = false;
  emit('maintenance');
  await expectNone(page.getByText(text));
});

test('an admin without permission sees the switch disabled with the reason', async () => {
  answerWithdrawals([withdrawal()], adminWith('Support'));
  visitSignedIn(address);
  await expect.element(theSwitch()).toBeDisabled();
  await expect.element(page.getByText('Your role does not allow this.')).toBeVisible();
});

test('Failed to fetch withdrawals is reported once, in place of the rows, and retried', async () => {
  answerWithdrawals([withdrawal({ user: 'milancosta' })]);
  hold(streamEvents);
  fault(listWithdrawals);
  visitSignedIn(address);
  const alert = main().getByRole('alert');
  await expect.element(alert).toMatchTextContent('Failed to fetch withdrawals');
  expect(anyToast().elements()).toHaveLength(0);
  restore(listWithdrawals);
  await alert.getByRole('button', { name: 'Retry' }).click();
  await expect.element(page.getByRole('row').filter({ hasText: 'milancosta' })).toBeVisible();
});
