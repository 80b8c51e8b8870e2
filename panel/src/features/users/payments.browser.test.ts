import { listUserPayments, type Payment } from 'contract/runs-payments.ts';
import type { RunLine } from 'contract/runs-lines.ts';
import type { ListedRun } from 'contract/runs.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { listedRun, runLine } from '#panel/testing/run-answers.ts';
import { button, expectNone } from '#panel/testing/screen.ts';
import { answer, callsTo, fault } from '#panel/testing/server.ts';
import { answerUsers, user } from '#panel/testing/user-answers.ts';

/* What every run planned, paid or did not pay for one user. */
const settings = { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 };
const unranked = { input: '500.00', ranked: false, base: '0.25', bonus: '0.00', loyalty: '0.15' } as const;

function payment(line: Partial<RunLine>, run: Partial<ListedRun> = {}): Payment {
  const { paidLines: _paidLines, paid: _paid, net: _net, ...of } = listedRun(run);
  return { run: of, line: runLine({ ...unranked, ...line }), settings, inputs: {} };
}

function open(payments: Payment[], olderThan: string | null = null, archivedBefore: string | null = null) {
  const opened = user();
  answerUsers([opened], adminWith('Support'));
  answer(listUserPayments, ({ querystring: { before } }) =>
    before === undefined
      ? { payments, olderThan, archivedBefore }
      : { payments: [payment({}, { period: '2026-10-01' })], olderThan: null, archivedBefore },
  );
  visitSignedIn(`/dashboard/user-profile/${opened.id}?tab=payments`);
}

const table = () => page.getByRole('table', { name: 'Due and paid' });
/** The texts of each row, without the hidden ones and the stake. */
const cells = () =>
  [...document.querySelectorAll('table tbody tr')].map((row) =>
    [...row.querySelectorAll('td')]
      .map(({ innerText }) => innerText.replaceAll('\n', ' ').replace(/ , why.*/, ''))
      .filter((_, column) => column !== 2),
  );

test('every run that considered the user is listed with its outcome, and with what was not paid', async () => {
  open([
    payment({ paid: false }, { state: 'planned', period: '2026-11-14' }),
    payment({}, { period: '2026-11-13' }),
    payment({ skip: 'blacklisted', base: '0.00', paid: false }, { period: '2026-11-12' }),
    payment({ skip: 'deleted', isSkippedSince: true, paid: false }, { period: '2026-11-11' }),
    payment({}, { reverses: listedRun().id, reason: 'Wrong rate', period: '2026-11-10' }),
    payment({ reversed: true, ranked: true, bonus: '0.10' }, { period: '2026-11-10' }),
  ]);
  await expect.element(table()).toBeVisible();
  const bonus = 'Stake bonus $0.10 not paid: no rank';
  await expect.poll(cells).toEqual([
    ['Stake payout', '14 Nov 2026', `Planned ${bonus}`, '$0.25'],
    ['Stake payout', '13 Nov 2026', `Posted ${bonus}`, '$0.25'],
    ['Stake payout', '12 Nov 2026', 'Blacklisted $0.25 not paid', 'Not paid'],
    ['Stake payout', '11 Nov 2026', 'Deleted since the plan $0.25 not paid', 'Not paid'],
    ['Reversal of stake payout', '10 Nov 2026', 'Posted', '−$0.25'],
    ['Stake payout', '10 Nov 2026', 'Reversed', '$0.35'],
  ]);
  expect(document.querySelectorAll('table s')).toHaveLength(1);
  await expectAccessible();
});

test('a payment links to its run and to its explanation', async () => {
  const { run, line, ...rest } = payment({});
  open([{ run, line, ...rest }]);
  await expect
    .element(table().getByRole('link', { name: 'Stake payout, 12 Nov 2026', exact: true }))
    .toHaveAttribute('href', `/dashboard/runs/${run.id}`);
  await expect
    .element(table().getByRole('link', { name: /why/ }))
    .toHaveAttribute('href', `/dashboard/runs/${run.id}?user=${line.user.id}&line=${line.user.id}.${line.cause}`);
});

test('older payments are loaded on demand, and a failure is reported in place', async () => {
  const last = `${listedRun().id}.${runLine().cause}`;
  open([payment({})], last);
  await button('Show older').click();
  await expect.element(table().getByText('1 Oct 2026').first()).toBeVisible();
  expect(callsTo(listUserPayments).at(-1)?.querystring.before).toBe(last);
  await expectNone(button('Show older'));
});

test('a user whom no run considered has an empty list, and a failed call can be retried', async () => {
  open([]);
  await expect.element(page.getByText('No payments yet.')).toBeVisible();
  fault(listUserPayments);
  visitSignedIn(`${window.location.pathname}?tab=payments`);
  await expect.element(page.getByText('The payments could not be loaded.')).toBeVisible();
  await expect.element(button('Retry')).toBeVisible();
});

test('payments that are archived are mentioned after the oldest one that is listed', async () => {
  open([payment({})], null, '2025-11-01');
  await expect.element(page.getByText('Payments for days before 1 Nov 2025 are archived.')).toBeVisible();
});
