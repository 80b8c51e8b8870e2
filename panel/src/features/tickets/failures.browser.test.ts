import { streamEvents } from 'contract/events.ts';
import { createTicket, listTickets, type Reply, readTicket, replyToTicket, setTicketStatus } from 'contract/tickets.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { visitSignedIn } from '#panel/testing/app.ts';
import { freshId } from '#panel/testing/list-answers.ts';
import { anyToast, button, dialog, expectNone, expectWarning, main, retryIn, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, cutOff, fault, hold, restore } from '#panel/testing/server.ts';
import { answerTickets, ticket } from '#panel/testing/ticket-answers.ts';

/** Opens a ticket, with a server that stores changes and replies. */
async function openTicket() {
  const opened = ticket();
  const replies: Reply[] = [];
  answerTickets([opened]);
  answer(readTicket, () => ({ ticket: opened, userUuid: null, replies }));
  answer(setTicketStatus, ({ body }) => ({ ticket: Object.assign(opened, body), changed: true }));
  answer(replyToTicket, ({ body }) => {
    const reply = { id: freshId(), sender: 'ines.moreau', createdAt: new Date(), ...body };
    replies.push(reply);
    return { ticket: opened, reply };
  });
  visitSignedIn(`/dashboard/tickets?ticket=${opened.id}`);
  await expect.element(dialog().getByText('No replies yet.')).toBeVisible();
}

test('Failed to fetch tickets is logged, shown in place, and retried', async () => {
  answerTickets([ticket({ type: 'Found again' })]);
  hold(streamEvents);
  fault(listTickets);
  visitSignedIn('/dashboard/tickets');
  const alert = main().getByRole('alert');
  await expect.element(alert).toMatchTextContent('Failed to fetch tickets');
  await expectWarning('Failed to fetch tickets');
  expect(anyToast().elements()).toHaveLength(0);
  await expectAccessible();
  restore(listTickets);
  await alert.getByRole('button', { name: 'Retry' }).click();
  await expect.element(page.getByRole('row').nth(1)).toMatchTextContent('Found again');
});

test('Failed to create ticket is logged, reported, and retried with the same input', async () => {
  const tickets = [ticket()];
  answerTickets(tickets);
  answer(createTicket, ({ body }) => {
    const created = ticket(body);
    tickets.unshift(created);
    return created;
  });
  cutOff(createTicket);
  visitSignedIn('/dashboard/tickets');
  await button('New Ticket').click();
  await dialog().getByLabelText('Subject').fill('Written once');
  await dialog().getByLabelText('Description').fill('And kept.');
  await button('Submit Ticket').click();
  await expect.element(toast('Failed to create ticket').last()).toBeVisible();
  await expectWarning('Failed to create ticket');
  await expect.element(dialog().getByLabelText('Subject')).toHaveValue('Written once');
  restore(createTicket);
  await retryIn('Failed to create ticket');
  await expectNone(dialog());
  await expect.element(page.getByRole('row').nth(1)).toMatchTextContent('Written once');
  const written = { body: { type: 'Written once', description: 'And kept.' } };
  expect(callsTo(createTicket)).toEqual([written, written]);
});

test('Failed to fetch ticket details is logged, shown in place, and retried', async () => {
  const opened = ticket();
  answerTickets([opened]);
  hold(streamEvents);
  fault(readTicket);
  visitSignedIn(`/dashboard/tickets?ticket=${opened.id}`);
  const alert = dialog().getByRole('alert');
  await expect.element(alert).toMatchTextContent('Failed to fetch ticket details');
  await expectWarning('Failed to fetch ticket details');
  expect(anyToast().elements()).toHaveLength(0);
  restore(readTicket);
  await alert.getByRole('button', { name: 'Retry' }).click();
  await expect.element(dialog().getByText('No replies yet.')).toBeVisible();
});

test('Failed to update ticket status is logged, reported, and retried', async () => {
  await openTicket();
  cutOff(setTicketStatus);
  const status = dialog().getByLabelText('Status');
  await status.selectOptions('resolved');
  await expect.element(toast('Failed to update ticket status').last()).toBeVisible();
  await expectWarning('Failed to update ticket status');
  await expect.element(status).toHaveValue('open');
  restore(setTicketStatus);
  await retryIn('Failed to update ticket status');
  await expect.element(status).toHaveValue('resolved');
});

test('Failed to submit reply is logged, reported, keeps the text, and is retried', async () => {
  await openTicket();
  cutOff(replyToTicket);
  const box = dialog().getByLabelText('Reply');
  await box.fill('Not to be typed twice.');
  await button('Send Reply').click();
  await expect.element(toast('Failed to submit reply').last()).toBeVisible();
  await expectWarning('Failed to submit reply');
  await expect.element(box).toHaveValue('Not to be typed twice.');
  restore(replyToTicket);
  await retryIn('Failed to submit reply');
  await expect.element(dialog().getByRole('listitem')).toMatchTextContent('Not to be typed twice.');
  await expect.element(box).toHaveValue('');
});

test('Failed to close ticket is logged, reported, and retried', async () => {
  await openTicket();
  cutOff(setTicketStatus);
  await button('Close Ticket').click();
  await expect.element(toast('Failed to close ticket').last()).toBeVisible();
  await expectWarning('Failed to close ticket');
  restore(setTicketStatus);
  await retryIn('Failed to close ticket');
  await expect.element(dialog().getByLabelText('Status')).toHaveValue('closed');
});

test('an error toast is accessible', async () => {
  await openTicket();
  fault(setTicketStatus);
  await button('Close Ticket').click();
  await expect.element(toast('Failed to close ticket').last()).toBeVisible();
  await expectAccessible();
});
