import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { visitSignedIn } from '#panel/testing/app.ts';
import { answerLedger, transfer } from '#panel/testing/ledger-answers.ts';
import { answerStaking, stake } from '#panel/testing/staking-answers.ts';
import { answerUsers, user } from '#panel/testing/user-answers.ts';

/** The decimal point of each amount (or its end, if it has no decimals), in pixels from the left. */
function pointsOf(amounts: Element[]) {
  return amounts.map((amount) => {
    const [figure] = amount.childNodes;
    const text = figure?.textContent ?? '';
    const range = document.createRange();
    range.setStart(figure ?? amount, 0);
    range.setEnd(figure ?? amount, text.includes('.') ? text.indexOf('.') : text.length);
    return Math.round(range.getBoundingClientRect().right);
  });
}

const amountsIn = (element: Element) => [...element.querySelectorAll('.amount')];

async function columnOf(table: string, column: number) {
  const rows = page.getByRole('table', { name: table });
  await expect.element(rows.getByRole('row').nth(1)).toBeVisible();
  return [...rows.element().querySelectorAll(`tbody tr td:nth-child(${column})`)];
}

const dollars = [1_000_000_000n, 98_765n, 12_345_678_901_234n, 1_500_000n];

test('the decimal points of a column are aligned, whatever the number of decimals', async () => {
  answerStaking({ stakes: dollars.map((amount) => stake({ amount })) });
  visitSignedIn('/dashboard/manage-staking');
  const cells = await columnOf('Stakes', 3);
  const amounts = cells.flatMap(amountsIn);
  expect(amounts.map(({ textContent }) => textContent)).toEqual([
    '$1,000.00',
    '$0.098765',
    '$12,345,678.901234',
    '$1.50',
  ]);
  expect(new Set(pointsOf(amounts)).size).toBe(1);
});

test('no digit of a long amount is cut off by its column', async () => {
  answerStaking({ stakes: dollars.map((amount) => stake({ amount, totalEarnings: amount })) });
  visitSignedIn('/dashboard/manage-staking');
  for (const cell of await columnOf('Stakes', 3)) expect(cell.scrollWidth).toBeLessThanOrEqual(cell.clientWidth);
});

test('the decimal points of assets with different decimals and units are aligned', async () => {
  answerLedger([
    transfer({ amount: '25.00' }),
    transfer({ amount: '123456.789', asset: 'USD' }),
    transfer({ amount: '1.234567', asset: 'GMP' }),
    transfer({ amount: '40', asset: 'SHARE' }),
    transfer({ amount: '1200', asset: 'SLX' }),
  ]);
  visitSignedIn('/dashboard/ledger');
  const cells = await columnOf('Transfers', 5);
  const amounts = cells.flatMap(amountsIn);
  expect(amounts.map(({ textContent }) => textContent)).toEqual([
    '$25.00',
    '$123,456.789',
    '1.234567GMP',
    '40shares',
    '1,200SLX',
  ]);
  expect(new Set(pointsOf(amounts)).size).toBe(1);
  for (const cell of cells) expect(cell.scrollWidth).toBeLessThanOrEqual(cell.clientWidth);
});

test('dollars beside another unit are not cut off', async () => {
  answerLedger([transfer({ amount: '5550.00' }), transfer({ amount: '6256.71759', asset: 'GMP' })]);
  visitSignedIn('/dashboard/ledger');
  for (const cell of await columnOf('Transfers', 5)) expect(cell.scrollWidth).toBeLessThanOrEqual(cell.clientWidth);
});

test('the earnings on a profile are aligned', async () => {
  const opened = user({ referralBonus: 1_000_000n, totalStakedEarned: 98_765n, gmpEarnings: 1_234_567n });
  answerUsers([opened]);
  visitSignedIn(`/dashboard/user-profile/${opened.id}`);
  const title = page.getByRole('heading', { name: 'Earnings', exact: true });
  await expect.element(title).toBeVisible();
  const amounts = amountsIn(title.element().closest('section') ?? document.body);
  expect(amounts).toHaveLength(6);
  expect(new Set(pointsOf(amounts)).size).toBe(1);
});
