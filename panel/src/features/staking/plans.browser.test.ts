import { createPlan, setPlanOffered } from 'contract/staking.ts';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { button, dialog, expectDisabledBecause, retryIn, toast, tryToLeave } from '#panel/testing/screen.ts';
import { answer, callsTo, fault, hold, refuse, restore } from '#panel/testing/server.ts';
import { answerStaking, plan } from '#panel/testing/staking-answers.ts';

const offered = () => page.getByRole('switch', { name: 'Offer 30 days at 0.10% a day' });
const days = () => dialog().getByLabelText('Duration in days');
const rate = () => dialog().getByLabelText('Daily rate in percent');
const addPlan = () => dialog().getByRole('button', { name: 'Add plan' });

function openPlans(as = adminWith(null)) {
  const thirtyDays = plan({ days: 30, dailyRate: 1_000 });
  answerStaking({ plans: [thirtyDays] }, as);
  answer(setPlanOffered, ({ body }) => ({ plan: Object.assign(thirtyDays, body) }));
  visitSignedIn('/dashboard/manage-staking');
}

test('a plan needs whole days and a percentage with at most four decimals, and invalid input is not sent', async () => {
  openPlans();
  await button('Add plan').click();
  await addPlan().click();
  await expect.element(dialog().getByText('Enter a duration.', { exact: true })).toBeVisible();
  await expect.element(dialog().getByText('Enter a daily rate.', { exact: true })).toBeVisible();
  await expect.element(days()).toHaveAttribute('aria-invalid', 'true');
  await expect.element(rate()).toHaveAttribute('aria-invalid', 'true');
  await expectAccessible();
  await days().fill('0');
  await expect.element(dialog().getByText('Enter whole days from 1 to 3,650.')).toBeVisible();
  await days().fill('90');
  await rate().fill('0.125');
  await expect.element(dialog().getByText('45.625% a year. Cannot be changed later.')).toBeVisible();
  await rate().fill('0.12345');
  await addPlan().click();
  const text = 'Enter a percentage from 0 to 100 with at most four decimals.';
  await expect.element(dialog().getByText(text)).toBeVisible();
  expect(callsTo(createPlan)).toEqual([]);
});

test('a duplicate plan is refused in the form, which stays open', async () => {
  openPlans();
  refuse(createPlan, 'PlanExists');
  await button('Add plan').click();
  await days().fill('30');
  await rate().fill('0.1');
  const release = hold(createPlan);
  await addPlan().click();
  await tryToLeave();
  release();
  const alert = dialog().getByRole('alert');
  await expect.element(alert).toMatchTextContent('There is a plan with this duration and rate already.');
});

test('a failed change leaves the plan as it was and can be retried', async () => {
  openPlans();
  fault(setPlanOffered);
  await expect.element(offered()).toBeVisible();
  offered().element().focus();
  await userEvent.keyboard(' ');
  await expect.element(toast('Failed to change the plan')).toBeVisible();
  await expect.element(offered()).toBeChecked();
  restore(setPlanOffered);
  await retryIn('Failed to change the plan');
  await expect.element(offered()).not.toBeChecked();
});

test('an admin without permission sees the plans with every action disabled', async () => {
  openPlans(adminWith('Auditor'));
  await expect.element(offered()).toBeDisabled();
  await expectDisabledBecause(button('Add plan'), 'Your role does not allow this.');
});
