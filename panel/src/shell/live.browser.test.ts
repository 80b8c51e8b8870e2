import { readTicket } from 'contract/tickets.ts';
import { countTickets } from 'contract/tickets-count.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { visitSignedIn } from '#panel/testing/app.ts';
import { freshId, longAgo } from '#panel/testing/list-answers.ts';
import { dialog } from '#panel/testing/screen.ts';
import { answer, callsTo, emit, hold } from '#panel/testing/server.ts';
import { answerTickets, ticket } from '#panel/testing/ticket-answers.ts';

const countAgain = async (change: () => void) => {
  const before = callsTo(countTickets).length;
  change();
  await expect.poll(() => callsTo(countTickets).length).toBeGreaterThan(before);
};

test('a change that is announced while the first answer is on its way is not missed', async () => {
  const opened = ticket();
  answerTickets([opened]);
  visitSignedIn('/dashboard/tickets');
  await expect.element(page.getByRole('row').filter({ hasText: opened.type })).toBeVisible();
  // The panel listens, and has asked anew for what may have changed before it did.
  await countAgain(() => emit('tickets'));

  const reply = { id: freshId(), sender: 'kenji.sato', message: 'Written meanwhile', createdAt: longAgo };
  let answered = 0;
  let onTheirWay = 0;
  // What was asked for before the change is answered as it was then.
  answer(readTicket, () => {
    answered += 1;
    return { ticket: opened, person: null, replies: answered <= onTheirWay ? [] : [reply] };
  });
  const release = hold(readTicket);
  await page.getByRole('row').filter({ hasText: opened.type }).getByRole('link').first().click();
  await expect.poll(() => callsTo(readTicket)).not.toHaveLength(0);
  await countAgain(() => emit('tickets'));
  onTheirWay = callsTo(readTicket).length;
  release();
  await expect.element(dialog()).toMatchTextContent('Written meanwhile');
});
