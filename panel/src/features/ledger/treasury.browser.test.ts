import { adjust } from 'contract/ledger.ts';
import { expect, test } from 'vitest';
import { visitSignedIn } from '#panel/testing/app.ts';
import { answerLedger } from '#panel/testing/ledger-answers.ts';
import { button, dialog, expectNone, main, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, fault } from '#panel/testing/server.ts';

const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true });

async function openFunding() {
  answerLedger([]);
  answer(adjust, ({ body: { id } }) => ({ id, state: 'posted' as const }));
  visitSignedIn('/dashboard/ledger');
  await main().getByRole('button', { name: 'Fund treasury', exact: true }).click();
  await expect.element(dialog().getByLabelText('Amount')).toBeVisible();
}

async function fill(amount: string) {
  await dialog().getByLabelText('Amount').fill(amount);
  await dialog().getByLabelText('Reason').fill('Rewards of November.');
}

test('the dialog to fund the treasury does not mention adjustments', async () => {
  await openFunding();
  await expect.element(dialog()).toMatchTextContent('Fund Treasury');
  await expect.element(inDialog('Fund treasury')).toBeVisible();
  expect(dialog().element().textContent).not.toMatch(/adjust/i);
  await fill('500');
  await inDialog('Fund treasury').click();
  await expect.element(toast('Treasury funded')).toBeVisible();
  await expectNone(dialog());
  expect(callsTo(adjust)).toMatchObject([{ body: { user: null, asset: 'USD', amount: '500' } }]);
});

test('a negative amount is labeled as a withdrawal from the treasury', async () => {
  await openFunding();
  await fill('-20');
  await inDialog('Withdraw from treasury').click();
  await expect.element(toast('Withdrawn from the treasury')).toBeVisible();
});

test('a failed funding is reported as Failed to fund the treasury', async () => {
  await openFunding();
  fault(adjust);
  await fill('500');
  await inDialog('Fund treasury').click();
  await expect.element(toast('Failed to fund the treasury')).toBeVisible();
  await button('Cancel').click();
});
