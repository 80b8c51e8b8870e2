import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { adminWith, answerFrame, visitSignedIn } from '#panel/testing/app.ts';
import { reduceMotion } from '#panel/testing/motion.ts';
import { button, dialog, expectNone } from '#panel/testing/screen.ts';
import { answerKeptTickets, answerTickets, ticket } from '#panel/testing/ticket-answers.ts';

const box = () => dialog().getByLabelText('Reply');
const firstRow = () => page.getByRole('row').nth(1);

async function openFirst() {
  const opened = ticket({ type: 'The newer one' });
  answerKeptTickets([opened, ticket({ type: 'The older one' })]);
  visitSignedIn(`/dashboard/tickets?ticket=${opened.id}`);
  await expect.element(dialog().getByText('No replies yet.')).toBeVisible();
}

test('a ticket opens with the focus in the reply box', async () => {
  await openFirst();
  await expect.element(box()).toHaveFocus();
});

test('a ticket opens with the focus on Close for an admin who may not reply', async () => {
  const opened = ticket();
  answerTickets([opened]);
  answerFrame(adminWith('Auditor'));
  visitSignedIn(`/dashboard/tickets?ticket=${opened.id}`);
  await expect.element(dialog().getByText('No replies yet.')).toBeVisible();
  await expect.element(dialog().getByRole('button', { name: 'Close', exact: true })).toHaveFocus();
});

test('the focus returns to the reply box after the button sends the reply', async () => {
  await openFirst();
  await expect.element(box()).toHaveFocus();
  await userEvent.keyboard('We are looking into it.{Tab}');
  await expect.element(button('Send Reply')).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog().getByRole('listitem')).toMatchTextContent('We are looking into it.');
  await expect.element(box()).toHaveFocus();
  await expect.element(box()).toHaveValue('');
});

for (const motion of ['full', 'reduced']) {
  test(`with ${motion} motion, closing a ticket returns the focus to its row`, async () => {
    if (motion === 'reduced') await reduceMotion();
    answerKeptTickets([ticket()]);
    visitSignedIn('/dashboard/tickets');
    await expect.element(firstRow()).toBeVisible();
    await userEvent.keyboard('j{Enter}');
    await expect.element(box()).toHaveFocus();
    await userEvent.keyboard('{Escape}');
    await expectNone(dialog());
    await expect.element(firstRow()).toHaveFocus();
  });
}
