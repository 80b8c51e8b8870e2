import { createTicket } from 'contract/tickets.ts';
import { expect, test } from 'vitest';
import { visitSignedIn } from '#panel/testing/app.ts';
import { reduceMotion } from '#panel/testing/motion.ts';
import { button, dialog } from '#panel/testing/screen.ts';
import { answer, hold } from '#panel/testing/server.ts';
import { answerTickets, ticket } from '#panel/testing/ticket-answers.ts';

const middleOf = ({ left, top, width, height }: DOMRect) => ({ x: left + width / 2, y: top + height / 2 });

/** The distance in pixels between the centers of a button and its spinner; undefined until the spinner appears. */
function spinnerOffset() {
  const spinner = document.querySelector('.mantine-Button-loader');
  const around = spinner?.closest('button');
  if (!spinner || !around) return undefined;
  const [found, wanted] = [middleOf(spinner.getBoundingClientRect()), middleOf(around.getBoundingClientRect())];
  return Math.hypot(found.x - wanted.x, found.y - wanted.y);
}

/** Presses a button whose request never gets a response. */
async function submitTicket() {
  answerTickets([ticket()]);
  answer(createTicket, ticket());
  hold(createTicket);
  visitSignedIn('/dashboard/tickets');
  await button('New Ticket').click();
  await dialog().getByLabelText('Subject').fill('Slow');
  await dialog().getByLabelText('Description').fill('It takes its time.');
  await button('Submit Ticket').click();
}

test('the spinner of a button is centered', async () => {
  await submitTicket();
  await expect.poll(spinnerOffset).toBeLessThan(2);
});

test('the spinner of a button is centered with reduced motion', async () => {
  await reduceMotion();
  await submitTicket();
  await expect.poll(spinnerOffset).toBeLessThan(2);
});
