import type { RunLine } from 'contract/runs-lines.ts';
import { explainPayment } from 'contract/runs-payments.ts';
import type { ListedRun } from 'contract/runs.ts';
import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { visitSignedIn } from '#panel/testing/app.ts';
import { answerRun, listedRun, runLine } from '#panel/testing/run-answers.ts';
import { button } from '#panel/testing/screen.ts';
import { answer } from '#panel/testing/server.ts';

/* Why a user got this amount, for every component of it. */
const run = listedRun();
const unranked = { input: '500.00', ranked: false, base: '0.25', bonus: '0.00', loyalty: '0.15' } as const;

function openLine(of: ListedRun, line: RunLine) {
  answerRun(of, { lines: [line] });
  visitSignedIn(`/dashboard/runs/${of.id}?line=${line.user.id}.${line.cause}`);
}

const steps = () => [...document.querySelectorAll('.why-step')];
const textOf = (step: Element, part: string) => step.querySelector(part)?.textContent;

/** "Stake bonus | $0.10 | Not paid: no rank on 12 Nov 2026" */
const shown = () =>
  steps().map((step) =>
    ['.why-name', '.why-amount', '.why-outcome']
      .map((part) => textOf(step, part))
      .filter((text) => text !== undefined)
      .join(' | '),
  );

test('every component of a payment is listed, with the reason for those that were not paid', async () => {
  openLine(run, runLine(unranked));
  await expect
    .poll(shown)
    .toEqual([
      'Stake reward | $0.25 | Paid',
      'Stake bonus | $0.10 | Not paid: no rank on 12 Nov 2026',
      'Loyalty | $0.15 | Set aside until the stake completes on 3 Dec 2026',
      'Total paid | $0.25',
    ]);
  expect(textOf(steps()[1] as Element, '.why-formula')).toBe('500.00 USD × 0.1% × 20%');
});

test.each<[string, Partial<RunLine>, string[]]>([
  [
    'by the plan',
    { base: '0.00', loyalty: '0.00', skip: 'blacklisted' },
    ['the user was blacklisted', 'Stake reward | $0.25 | Not paid: the user was blacklisted'],
  ],
  [
    'at payment',
    { skip: 'deleted', isSkippedSince: true },
    ['the user was deleted after the plan', 'Stake reward | $0.25 | Not paid: the user was deleted after the plan'],
  ],
])('a payment that is skipped %s shows what would have been paid, and why it was not', async (_when, given, texts) => {
  const [why, reward] = texts;
  openLine(run, runLine({ ...unranked, paid: false, ...given }));
  await expect
    .poll(shown)
    .toEqual([
      reward,
      'Stake bonus | $0.10 | Not paid: no rank on 12 Nov 2026',
      `Loyalty | $0.15 | Not set aside: ${why}`,
      'Total not paid | $0.25',
    ]);
});

test('what the shares do not use, and what rounding leaves over, stays in the treasury', async () => {
  const line = runLine({ ...unranked, input: '500.001', base: '0.20' });
  answerRun(run, {
    lines: [line],
    detail: { settings: { enabled: true, baseReward: 40, bonusReward: 20, loyaltyReward: 30 } },
  });
  visitSignedIn(`/dashboard/runs/${run.id}?line=${line.user.id}.${line.cause}`);
  await expect.poll(shown).toContain('Undistributed | $0.05 | Stays in the treasury');
  expect(shown()).toContain('Rounding | $0.000001 | Stays in the treasury');
});

test('a reversal names each transfer that it reverses and the run that posted it', async () => {
  const reversal = listedRun({ reverses: run.id, reason: 'The rate was wrong.' });
  const line = runLine(unranked);
  const { paidLines: _paidLines, paid: _paid, net: _net, ...ofReversal } = reversal;
  answer(explainPayment, {
    why: {
      run: ofReversal,
      line,
      settings: {},
      inputs: {},
      reversedTransfers: [{ id: '20261112-4711', kind: 'stake-base', amount: '0.25' }],
      receivable: '0.10',
    },
  });
  openLine(reversal, line);
  await expect
    .poll(shown)
    .toEqual([
      'Stake reward | −$0.25 | Reversed. Transfer 20261112-4711 of the run Stake payout, 12 Nov 2026',
      'Receivable booked | $0.10 | What the user had already spent of the payments that this run reverses, and now owes',
    ]);
  const dialog = page.getByRole('dialog');
  await expect.element(dialog.getByRole('heading', { name: 'What it reverses' })).toBeVisible();
  await expect
    .element(dialog.getByRole('link', { name: '20261112-4711' }))
    .toHaveAttribute('href', '/dashboard/ledger?transfer=20261112-4711');
  await expect
    .element(dialog.getByRole('link', { name: 'Stake payout, 12 Nov 2026' }))
    .toHaveAttribute('href', `/dashboard/runs/${run.id}`);
});

test('Copy as text copies the explanation as a reply to the user', async () => {
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  openLine(run, runLine(unranked));
  await button('Copy as text').click();
  await expect.element(button('Copied')).toBeVisible();
  const [text] = write.mock.lastCall ?? [];
  expect(text).toContain('Hello milancosta,');
  expect(text).toContain('Stake bonus: 0.10 USD, not paid because');
  expect(text).toContain(`payment run ${run.id}`);
  write.mockRejectedValue(new Error('refused'));
  await expect.element(button('Copy as text')).toBeVisible();
  await button('Copy as text').click();
  await expect.element(button("Couldn't copy")).toBeVisible();
  write.mockRestore();
});
