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

const expectRecount = async (change: () => void) => {
  const before = callsTo(countTickets).length;
  change();
  await expect.poll(() => callsTo(countTickets).length).toBeGreaterThan(before);
};

/** Shows a list before live updates are connected; the returned function lets them connect. */
async function visitBeforeConnecting() {
  const opened = ticket();
  answerTickets([opened]);
  const connect = hold(streamEvents);
  visitSignedIn('/dashboard/tickets');
  await expect.element(page.getByRole('row').filter({ hasText: opened.type })).toBeVisible();
  return connect;
}

test('data that was loaded just before live updates connect is not refetched', async () => {
  const connect = await visitBeforeConnecting();
  const before = callsTo(readMaintenance).length;
  await expectRecount(() => {
    connect();
    emit('tickets');
  });
  expect(callsTo(readMaintenance)).toHaveLength(before);
});

test('data that is older than the replayed changes is refetched', async () => {
  const connect = await visitBeforeConnecting();
  const now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => now + replayedMs);
  await expectRecount(connect);
});

test('a change that is announced while the first response is pending is not missed', async () => {
  const opened = ticket();
  answerTickets([opened]);
  visitSignedIn('/dashboard/tickets');
  await expect.element(page.getByRole('row').filter({ hasText: opened.type })).toBeVisible();
  // Live updates are connected.
  await expectRecount(() => emit('tickets'));

  const reply = { id: freshId(), sender: 'kenji.sato', message: 'Written meanwhile', createdAt: longAgo };
  let answered = 0;
  let pending = 0;
  // Requests sent before the change get the data from before it.
  answer(readTicket, () => {
    answered += 1;
    return { ticket: opened, userUuid: null, replies: answered <= pending ? [] : [reply] };
  });
  const release = hold(readTicket);
  await page.getByRole('row').filter({ hasText: opened.type }).getByRole('link').first().click();
  await expect.poll(() => callsTo(readTicket)).not.toHaveLength(0);
  await expectRecount(() => emit('tickets'));
  pending = callsTo(readTicket).length;
  release();
  await expect.element(dialog()).toMatchTextContent('Written meanwhile');
});
