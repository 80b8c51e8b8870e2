import { createTicket, listTickets, readTicket, replyToTicket } from 'contract/tickets.ts';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { visitSignedIn } from '#panel/testing/app.ts';
import { freshId } from '#panel/testing/list-answers.ts';
import { button, dialog, expectNone, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, emit, hold } from '#panel/testing/server.ts';
import { answerKeptTickets, ticket } from '#panel/testing/ticket-answers.ts';

const box = () => dialog().getByLabelText('Reply');
const firstRow = () => page.getByRole('row').nth(1);

async function openFirst() {
  const opened = ticket({ type: 'The newer one' });
  answerKeptTickets([opened, ticket({ type: 'The older one' })]);
  visitSignedIn(`/dashboard/tickets?ticket=${opened.id}`);
  await expect.element(dialog().getByText('No replies yet.')).toBeVisible();
  await expect.element(box()).toHaveFocus();
  return opened;
}

test('a reply is shown as soon as it is accepted, even while the reads are pending', async () => {
  await openFirst();
  hold(readTicket);
  hold(listTickets);
  await userEvent.keyboard('Sent once.{Control>}{Enter}{/Control}');
  await expect.element(dialog().getByRole('listitem')).toMatchTextContent('Sent once.');
  await expectNone(dialog().getByText('No replies yet.'));
  await expect.element(dialog().getByLabelText('Status')).toHaveValue('in_progress');
  await expect.element(box()).toHaveValue('');
  // The next reply does not wait for the reads, either.
  await userEvent.keyboard('And again.{Control>}{Enter}{/Control}');
  await expect.poll(() => dialog().getByRole('listitem').elements()).toHaveLength(2);
  expect(callsTo(replyToTicket).map(({ body }) => body.message)).toEqual(['Sent once.', 'And again.']);
  await userEvent.keyboard('{Escape}');
  await expectNone(dialog());
  await expect.element(firstRow()).toMatchTextContent('in_progress');
});

test('a reply that a live update has already fetched is shown once', async () => {
  const opened = await openFirst();
  const replied = { ...opened, status: 'in_progress' } as const;
  const reply = { id: freshId(), sender: 'ines.moreau', createdAt: new Date(), message: 'Shown once.' };
  answer(replyToTicket, { ticket: replied, reply });
  const release = hold(replyToTicket);
  await userEvent.keyboard('Shown once.{Control>}{Enter}{/Control}');
  answer(readTicket, { ticket: replied, userUuid: null, replies: [reply] });
  emit('tickets', opened.id);
  await expect.element(dialog().getByRole('listitem')).toMatchTextContent('Shown once.');
  release();
  await expect.element(box()).toHaveValue('');
  expect(dialog().getByRole('listitem').elements()).toHaveLength(1);
});

test('a status is shown as soon as it is accepted, even while the reads are pending', async () => {
  await openFirst();
  hold(readTicket);
  hold(listTickets);
  const status = dialog().getByLabelText('Status');
  await status.selectOptions('resolved');
  await expect.element(status).toBeEnabled();
  await expect.element(status).toHaveValue('resolved');
});

test('a new ticket is shown as soon as it is accepted, even while the reads are pending', async () => {
  answerKeptTickets([ticket({ type: 'The newer one' }), ticket()]);
  answer(createTicket, ({ body }) => ticket(body));
  visitSignedIn('/dashboard/tickets');
  await expect.element(firstRow()).toMatchTextContent('The newer one');
  await button('New Ticket').click();
  hold(listTickets);
  await dialog().getByLabelText('Subject').fill('The newest one');
  await dialog().getByLabelText('Description').fill('It is there at once.');
  await button('Submit Ticket').click();
  await expect.element(toast('Ticket submitted')).toBeVisible();
  await expectNone(dialog());
  await expect.element(firstRow()).toMatchTextContent('The newest one');
  await expect.element(page.getByText('3 tickets', { exact: true }).first()).toBeVisible();
});
