import { replayedMs, streamEvents } from 'contract/events.ts';
import { readMaintenance } from 'contract/maintenance.ts';
import { readTicket } from 'contract/tickets.ts';
import { countTickets } from 'contract/tickets-count.ts';
import { expect, test, vi } from 'vitest';
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

/** Shows a list while the panel is not yet told of changes; the returned function lets it be. */
async function visitBeforeListening() {
  const opened = ticket();
  answerTickets([opened]);
  const listen = hold(streamEvents);
  visitSignedIn('/dashboard/tickets');
  await expect.element(page.getByRole('row').filter({ hasText: opened.type })).toBeVisible();
  return listen;
}

test('what was asked for just before the panel listens is not asked for again', async () => {
  const listen = await visitBeforeListening();
  const asked = callsTo(readMaintenance).length;
  await countAgain(() => {
    listen();
    emit('tickets');
  });
  expect(callsTo(readMaintenance)).toHaveLength(asked);
});

test('what is older than what the server tells again is asked for again', async () => {
  const listen = await visitBeforeListening();
  const now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => now + replayedMs);
  await countAgain(listen);
});

test('a change that is announced while the first answer is on its way is not missed', async () => {
  const opened = ticket();
  answerTickets([opened]);
  visitSignedIn('/dashboard/tickets');
  await expect.element(page.getByRole('row').filter({ hasText: opened.type })).toBeVisible();
  // The panel listens.
  await countAgain(() => emit('tickets'));

  const reply = { id: freshId(), sender: 'kenji.sato', message: 'Written meanwhile', createdAt: longAgo };
  let answered = 0;
  let onTheirWay = 0;
  // What was asked for before the change is answered as it was then.
  answer(readTicket, () => {
    answered += 1;
    return { ticket: opened, userUuid: null, replies: answered <= onTheirWay ? [] : [reply] };
  });
  const release = hold(readTicket);
  await page.getByRole('row').filter({ hasText: opened.type }).getByRole('link').first().click();
  await expect.poll(() => callsTo(readTicket)).not.toHaveLength(0);
  await countAgain(() => emit('tickets'));
  onTheirWay = callsTo(readTicket).length;
  release();
  await expect.element(dialog()).toMatchTextContent('Written meanwhile');
});
