import { expect, test } from 'vitest';
import { adminRow, answerAdmins } from '#panel/testing/admin-answers.ts';
import { visitSignedIn } from '#panel/testing/app.ts';
import { anyToast, button, dialog, expectNone } from '#panel/testing/screen.ts';
import { answerTickets, ticket } from '#panel/testing/ticket-answers.ts';

/** Polls for the transition durations, which are only set during a transition. */
async function durationsWhileOpening() {
  const moving = (selector: string) => {
    const element = document.querySelector(selector);
    const duration = element ? getComputedStyle(element).transitionDuration : '0s';
    return duration === '0s' ? undefined : duration;
  };
  let modal: string | undefined;
  let backdrop: string | undefined;
  while (!modal || !backdrop) {
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
    });
    modal ??= moving('.mantine-Modal-content');
    backdrop ??= moving('.mantine-Modal-overlay');
  }
  return { modal, backdrop };
}

test('a modal opens in 300 ms and its backdrop in 150 ms', async () => {
  answerTickets([ticket()]);
  visitSignedIn('/dashboard/tickets');
  await expect.element(button('New Ticket')).toBeVisible();
  const seen = durationsWhileOpening();
  await button('New Ticket').click();
  expect(await seen).toEqual({ modal: '0.3s', backdrop: '0.15s' });
});

/** Opens a form that shows a toast, without sending anything, each time it is submitted. */
async function openFormThatFails() {
  answerAdmins([adminRow()]);
  visitSignedIn('/dashboard/admin');
  await button('Add New Admin').click();
  await dialog().getByLabelText('Username').fill('somebody');
  await dialog()
    .getByLabelText(/^Password/)
    .fill('one of a pair');
  await dialog().getByLabelText('Confirm Password').fill('not the other');
}

test('only the newest 20 toasts are kept', async () => {
  await openFormThatFails();
  const send = button('Add Admin').element();
  if (!(send instanceof HTMLElement)) throw new Error('not a button');
  for (let press = 0; press < 25; press += 1) send.click();
  await expect.poll(() => anyToast().elements()).toHaveLength(20);
  await expect.element(anyToast().last()).toMatchTextContent("Passwords don't match");
});

test('a toast can be closed', async () => {
  await openFormThatFails();
  await button('Add Admin').click();
  await button('Close notification').click();
  await expectNone(anyToast());
});
