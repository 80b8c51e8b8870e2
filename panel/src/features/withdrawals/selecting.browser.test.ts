import { decideWithdrawals, readDailyLimit } from 'contract/withdrawals.ts';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { button, dialog, expectNone } from '#panel/testing/screen.ts';
import { answer, callsTo } from '#panel/testing/server.ts';
import { answerWithdrawals, withdrawal } from '#panel/testing/withdrawal-answers.ts';

const address = '/dashboard/manage-withdraw';
const bar = () => page.getByRole('region', { name: 'Selected withdrawals' });
const box = (user: string) => page.getByRole('checkbox', { name: `Select withdrawal of ${user}`, exact: true });
const pending = (count: number) => Array.from({ length: count }, (_, place) => withdrawal({ user: `user${place}` }));

test('without a filter only pending rows can be selected', async () => {
  const soon = new Date(Date.now() + 3_600_000);
  answerWithdrawals([
    withdrawal({ user: 'pending' }),
    withdrawal({ user: 'paid', status: 'Completed', state: 'confirmed' }),
    withdrawal({ user: 'waits', waitsUntil: soon }),
  ]);
  visitSignedIn(address);
  await box('pending').click();
  await expect.element(bar()).toMatchTextContent('1 selected$483.28');
  for (const user of ['paid', 'waits']) expect(box(user).elements()).toHaveLength(0);
  await button('Clear selection').click();
  await expectNone(bar());
});

test('the selection bar stays visible on a long list', async () => {
  await page.viewport(1280, 720);
  answerWithdrawals(pending(25));
  visitSignedIn(address);
  await box('user0').click();
  window.scrollTo(0, 0);
  await expect.element(bar()).toBeVisible();
  expect(document.documentElement.scrollHeight).toBeGreaterThan(window.innerHeight + 200);
  await expect.poll(() => bar().element().getBoundingClientRect().bottom).toBeLessThanOrEqual(window.innerHeight);
});

test('Shift-click selects the range in between, and the checkbox keeps the focus', async () => {
  answerWithdrawals(pending(25));
  visitSignedIn(address);
  await box('user2').click();
  await userEvent.keyboard('{Shift>}');
  await box('user21').click();
  await userEvent.keyboard('{/Shift}');
  await expect.element(bar()).toMatchTextContent('20 selected');
  await expect.element(box('user21')).toHaveFocus();
  await expect.element(box('user22')).not.toBeChecked();
});

test('x toggles the selection of the current row', async () => {
  answerWithdrawals(pending(3));
  visitSignedIn(address);
  await expect.element(box('user0')).toBeVisible();
  await userEvent.keyboard('jjx');
  await expect.element(box('user1')).toBeChecked();
  await userEvent.keyboard('x');
  await expect.element(box('user1')).not.toBeChecked();
});

test('a bulk decision clears the selection and keeps its outcome open', async () => {
  const many = pending(2);
  answerWithdrawals(many);
  answer(readDailyLimit, { limit: 1_000_000_000n, usedToday: 0n });
  answer(decideWithdrawals, {
    done: 1,
    requested: 0,
    refused: [{ id: many[1]?.id ?? '', user: 'user1', error: 'No.' }],
  });
  visitSignedIn(address);
  await page.getByRole('checkbox', { name: 'Select all 2 on this page' }).click();
  await button('Approve').click();
  await dialog().getByRole('button', { name: 'Approve', exact: true }).click();
  await expect.element(dialog()).toMatchTextContent('1 withdrawal approved.');
  await expectNone(bar());
  await expect.element(dialog()).toMatchTextContent('user1 No.');
  expect(callsTo(decideWithdrawals)).toHaveLength(1);
});

test('an Admin who may not decide sees no checkboxes', async () => {
  answerWithdrawals(pending(1), adminWith('Auditor'));
  visitSignedIn(address);
  await expect.element(page.getByRole('row').filter({ hasText: 'user0' })).toBeVisible();
  expect(page.getByRole('checkbox').elements()).toHaveLength(0);
});
