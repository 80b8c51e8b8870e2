import { requestWriteOff } from 'contract/ledger.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { button, dialog, expectDisabledBecause, expectNone, main, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, refuse } from '#panel/testing/server.ts';
import { answerUsers, user } from '#panel/testing/user-answers.ts';

function openProfile(given: Parameters<typeof user>[0], as = adminWith(null)) {
  const one = user(given);
  answerUsers([one], as);
  answer(requestWriteOff, ({ body: { id } }) => ({ id, state: 'waiting' as const }));
  visitSignedIn(`/dashboard/user-profile/${one.id}`);
  return one;
}

const writeOff = () => main().getByRole('button', { name: 'Write off', exact: true });
const request = () => dialog().getByRole('button', { name: 'Request write-off' });

test('the profile of a user who owes nothing mentions no receivable', async () => {
  openProfile({});
  await expect.element(button('Adjust')).toBeVisible();
  await expectNone(writeOff());
  await expectNone(main().getByText('Receivable'));
});

test('the profile shows what a user owes, and a write-off of all or a part of it is requested', async () => {
  const { id } = openProfile({ receivable: 12_500_000n });
  await expect.element(main().getByText('Receivable', { exact: true })).toBeVisible();
  await expect.element(main().getByText('$12.50')).toBeVisible();
  await writeOff().click();
  await expect.element(dialog()).toMatchTextContent('The user owes $12.50.');
  await expect.element(dialog().getByLabelText('Amount in USD')).toHaveValue('12.50');
  await expectAccessible();
  await request().click();
  await expect.element(dialog().getByText('Enter a reason.')).toBeVisible();
  await dialog().getByLabelText('Amount in USD').fill('13');
  await expect.element(dialog().getByText('The user owes less than this amount.')).toBeVisible();
  await dialog().getByLabelText('Amount in USD').fill('0');
  await expect.element(dialog().getByText('Enter an amount above zero.')).toBeVisible();
  expect(callsTo(requestWriteOff)).toEqual([]);
  await dialog().getByLabelText('Amount in USD').fill('2.5');
  await dialog().getByLabelText('Reason').fill('Not worth a claim.');
  await request().click();
  await expect.element(toast('Sent to a second approver')).toBeVisible();
  await expectNone(dialog());
  expect(callsTo(requestWriteOff)).toMatchObject([
    { body: { user: id, asset: 'USD', amount: '2.5', reason: 'Not worth a claim.' } },
  ]);
});

test('a user who owes dollars and GMP has a choice of asset', async () => {
  openProfile({ receivable: 1_000_000n, receivableGmp: 7_000_000n });
  await writeOff().click();
  await dialog().getByLabelText('Asset').selectOptions('GMP');
  await expect.element(dialog().getByLabelText('Amount in GMP')).toHaveValue('7.00');
  await expect.element(dialog()).toMatchTextContent('The user owes 7.00 GMP.');
});

test('a refused request is reported, and the form stays open', async () => {
  openProfile({ receivable: 1_000_000n });
  refuse(requestWriteOff, 'ReceivableTooLow');
  await writeOff().click();
  await dialog().getByLabelText('Reason').fill('Not worth a claim.');
  await request().click();
  await expect.element(toast('The user owes less than this amount.')).toBeVisible();
  await expect.element(page.getByRole('dialog')).toBeVisible();
});

test('an admin who may not move money cannot write anything off', async () => {
  openProfile({ receivable: 1_000_000n }, adminWith('Support'));
  await expectDisabledBecause(writeOff(), 'Your role does not allow this.');
});
