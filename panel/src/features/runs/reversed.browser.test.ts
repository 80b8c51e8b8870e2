import { readCalendar } from 'contract/runs.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { visitSignedIn } from '#panel/testing/app.ts';
import { button, dialog, expectDisabledBecause, expectNone, heading, main } from '#panel/testing/screen.ts';
import { freshId, longAgo } from '#panel/testing/list-answers.ts';
import { answerRun, answerRuns, listedRun, runLine } from '#panel/testing/run-answers.ts';
import { answer } from '#panel/testing/server.ts';

/* A day that was paid, reversed and paid again. */
const reversed = listedRun({ reversed: 'fully' });
const reversal = listedRun({ reverses: reversed.id, reason: 'The rate was wrong.' });
const repaid = listedRun();

const row = (id: string) => document.querySelector(`tr[data-row="${id}"]`);
/** Returns the visible texts, without hidden parts. */
const textsOf = (elements: Iterable<HTMLElement> | undefined) =>
  [...(elements ?? [])].map(({ innerText }) => innerText.replaceAll('\n', ''));
const tone = (word: string) => main().getByText(word, { exact: true }).first().element().getAttribute('data-tone');
const open = (id: string, search = '') => visitSignedIn(`/dashboard/runs/${id}${search}`);

test('the list distinguishes a payment, its reversal and the second payment, and shows the net of the day', async () => {
  answerRuns([repaid, reversal, reversed]);
  visitSignedIn('/dashboard/runs');
  await expect
    .element(page.getByRole('link', { name: 'View run: Reversal of stake payout, 12 Nov 2026' }))
    .toBeVisible();
  const cellsOf = (id: string) => textsOf(row(id)?.querySelectorAll<HTMLElement>('td')).slice(0, 6);
  const day = '12 Nov 2026';
  expect(cellsOf(repaid.id)).toEqual(['Stake payout', day, 'Completed', '$56.555', '$56.555', '$56.555']);
  expect(cellsOf(reversal.id)).toEqual([
    'Reversal of stake payout',
    day,
    'Completed',
    '−$56.555',
    '−$56.555',
    '$56.555',
  ]);
  expect(cellsOf(reversed.id)).toEqual(['Stake payout', day, 'Reversed', '$56.555', '$56.555', '$56.555']);
  expect(row(reversed.id)?.querySelector('s')?.textContent).toBe('$56.555');
  const tones = [...document.querySelectorAll('td .status')].map((mark) => mark.getAttribute('data-tone'));
  expect(tones).toEqual(['good', 'quiet', 'reversed']);
  await expectAccessible();
});

test('a partly reversed run is labeled as such, with its own tone', async () => {
  answerRun(listedRun({ reversed: 'partly', net: '50.00' }));
  open(freshId());
  await expect.element(heading('Stake payout, 12 Nov 2026')).toBeVisible();
  expect(tone('Partly reversed')).toBe('partly-reversed');
  await expect.element(page.getByText('Some payments of this run have been reversed.')).toBeVisible();
  await expect.element(button('Reverse')).not.toHaveAttribute('aria-disabled', 'true');
});

test('the page of a run shows every payment and reversal of its day, and the net amount', async () => {
  const parts = [reversed, reversal, repaid].map(({ id, state, paid, paidLines, ...run }) => ({
    id,
    state,
    reversed: run.reversed,
    reverses: run.reverses,
    paidLines,
    paid,
  }));
  answerRun(reversed, { detail: { period: { runs: parts, net: '56.555' }, reversedBy: reversal.id } });
  open(reversed.id);
  const title = page.getByRole('heading', { name: 'Paid for 12 Nov 2026' });
  await expect.element(title).toBeVisible();
  const card = title.element().closest('section');
  expect(textsOf(card?.querySelectorAll<HTMLElement>('li'))).toEqual([
    'Stake payoutReversed$56.555',
    'Reversal of stake payoutCompleted−$56.555',
    'Stake payoutCompleted$56.555',
  ]);
  expect(card?.querySelector('.period-net')?.textContent).toBe('Net paid$56.555');
  await expect.element(page.getByText('Every payment of this run has been reversed.')).toBeVisible();
  await expectAccessible();
});

test('the calendar names a reversal in full, and a reversed run is not green', async () => {
  const mark = ({ id, state, period, ...run }: typeof repaid) => ({
    id,
    period,
    state,
    reversed: run.reversed,
    reverses: run.reverses,
  });
  answerRuns([]);
  const at = new Date();
  answer(readCalendar, {
    entries: [
      { kind: 'stake-payout', at, outcome: 'triggered', run: mark(reversed), why: null, isPlannable: false },
      {
        kind: 'stake-payout',
        at: new Date(at.getTime() + 1),
        outcome: 'manual',
        run: mark(reversal),
        why: null,
        isPlannable: false,
      },
    ],
  });
  visitSignedIn('/dashboard/runs/calendar');
  await expect.element(page.getByText('Reversal of stake payout, 12 Nov 2026')).toBeVisible();
  expect(tone('Reversed')).toBe('reversed');
  expect(tone('Completed')).toBe('quiet');
});

test('Reverse is disabled with the reason when nothing is left to reverse', async () => {
  answerRun(reversed);
  open(reversed.id);
  await expectDisabledBecause(button('Reverse'), 'This run has already been fully reversed.');
  answerRun(reversal);
  open(reversal.id);
  await expectDisabledBecause(button('Reverse'), 'A reversal cannot be reversed. Plan the period again instead.');
  const why = { code: 'cancelled', params: { by: 'ines.moreau' } } as const;
  const cancelled = listedRun({ state: 'cancelled', why, paidLines: 0, paid: '0.00' });
  answerRun(cancelled);
  open(cancelled.id);
  await expectDisabledBecause(button('Reverse'), 'This run paid nothing, so there is nothing to reverse.');
});

test('Reverse for one user is disabled only after every payment to them was reversed', async () => {
  const { user } = runLine();
  const [first, second] = [runLine({ user, reversed: true }), runLine({ user })];
  const partly = listedRun({ reversed: 'partly' });
  answerRun(partly, { lines: [first, second] });
  open(partly.id, `?line=${user.id}.${first.cause}`);
  const reverse = () => dialog().getByRole('button', { name: 'Reverse for this user' });
  await expect.element(reverse()).not.toHaveAttribute('aria-disabled', 'true');
  answerRun(partly, { lines: [first, { ...second, reversed: true }] });
  open(partly.id, `?line=${user.id}.${first.cause}`);
  await expectDisabledBecause(reverse(), 'Everything that this run paid to this user has already been reversed.');
  const unpaid = runLine({ skip: 'blacklisted', paid: false });
  answerRun(partly, { lines: [unpaid] });
  open(partly.id, `?line=${unpaid.user.id}.${unpaid.cause}`);
  await expectDisabledBecause(reverse(), 'This run paid nothing to this user.');
});

test('the confirmation of a reversal says that it is final, and that of a payment that it can be reversed', async () => {
  const planned = { state: 'planned', startedAt: null, endedAt: null, paidLines: 0, paid: '0.00' } as const;
  const back = listedRun({ ...planned, reverses: reversed.id, reason: 'The rate was wrong.' });
  answerRun(back);
  open(back.id);
  await button('Run').click();
  await expect.element(dialog().getByText('Reverse $56.555 in 2 payments for 12 Nov 2026?')).toBeVisible();
  await expect
    .element(dialog().getByText('A reversal cannot be reversed. To pay these users again, plan the period again.'))
    .toBeVisible();
  expect(dialog().element().textContent).not.toContain('can be reversed');
  await expectAccessible();
  const payment = listedRun(planned);
  answerRun(payment);
  open(payment.id);
  await button('Run').click();
  await expect
    .element(dialog().getByText('You can reverse this run later. Users who have already spent the money will owe it.'))
    .toBeVisible();
});

test('an archived run names its file, lists no payments and cannot be reversed', async () => {
  const file = 'run-lines-before-2025-12-01.csv.gz';
  answerRun(listedRun(), { detail: { archive: { file, at: longAgo } } });
  open(freshId());
  await expect
    .element(page.getByText(new RegExp(`^The payments of this run were archived .* in the file ${file}`)))
    .toBeVisible();
  await expectDisabledBecause(
    button('Reverse'),
    'The payments of this period are archived, so it cannot be paid again or reversed.',
  );
  await expectNone(page.getByRole('table', { name: 'Payments of the run' }));
  await expectAccessible();
});
