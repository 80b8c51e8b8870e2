import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { visitSignedIn } from '#panel/testing/app.ts';
import { freshId } from '#panel/testing/list-answers.ts';
import { answerRun, listedRun, progressOf } from '#panel/testing/run-answers.ts';
import { dialog, main } from '#panel/testing/screen.ts';

const open = () => visitSignedIn(`/dashboard/runs/${freshId()}`);

test('a denied plan shows who denied it and why', async () => {
  const denial = { by: 'kenji.sato', reason: 'The pool is too large.' };
  answerRun(listedRun({ state: 'planned', startedAt: null, endedAt: null }), {
    detail: { approval: freshId(), denial },
  });
  open();
  await expect.element(page.getByText('kenji.sato denied this plan: The pool is too large.')).toBeVisible();
});

test('a run above the daily limit says what was moved today and requests an approval', async () => {
  answerRun(listedRun({ state: 'planned', startedAt: null, endedAt: null, pays: '200.00', setsAside: '0.00' }), {
    detail: { alone: { limit: '1000.00', usedToday: '900.00' } },
  });
  open();
  await main().getByRole('button', { name: 'Run', exact: true }).click();
  await expect
    .element(dialog())
    .toMatchTextContent(
      'You can move $1,000.00 a day on your own and have moved $900.00 today. A second approver must approve this before any money moves.',
    );
  await expect.element(dialog().getByRole('button', { name: 'Request approval' })).toBeVisible();
});

test('a run within the daily limit starts immediately', async () => {
  answerRun(listedRun({ state: 'planned', startedAt: null, endedAt: null, pays: '100.00', setsAside: '0.00' }), {
    detail: { alone: { limit: '1000.00', usedToday: '900.00' } },
  });
  open();
  await main().getByRole('button', { name: 'Run', exact: true }).click();
  await expect.element(dialog()).toMatchTextContent('It starts immediately.');
  await expect.element(dialog().getByRole('button', { name: 'Run', exact: true })).toBeVisible();
});

test('a failed run shows the chunk, the reason and the amount paid', async () => {
  const failure = { code: 'technical-error', params: { message: 'deadlock detected' } } as const;
  const why = { code: 'chunk-failed', params: { chunk: 2, failure } } as const;
  const errors = [{ chunk: 2, failures: 3, failure }];
  answerRun(listedRun({ state: 'failed', why, endedAt: null, paidLines: 0, paid: '0.00' }), { detail: { errors } });
  open();
  const notice = page.getByRole('alert').first();
  await expect
    .element(notice)
    .toHaveTextContent('Chunk 2: Technical error: deadlock detected. None of the planned $56.555 was paid.');
  await expect.element(main()).toMatchTextContent('failed 3 timesTechnical error: deadlock detected.');
});

test('a run without progress says since when and why', async () => {
  const since = new Date(Date.now() - 12 * 60_000);
  const why = { code: 'waiting-for-lock', params: { application: 'psql' } } as const;
  answerRun(listedRun({ state: 'running', endedAt: null }), { detail: { stalled: { since, why } } });
  open();
  await expect
    .element(page.getByRole('alert').first())
    .toHaveTextContent('This run has stalled. Last progress 12 min ago. Waiting for a database lock held by psql.');
});

test('a run is compared with the total of the previous run, including loyalty', async () => {
  const before = { id: freshId(), period: '2026-11-11', lines: 1, pays: '50.00', releases: '6.00' };
  answerRun(listedRun({ lines: 2, skipped: 0, pays: '52.00', releases: '0.00' }), { detail: { before } });
  open();
  await expect.element(main()).toMatchTextContent('+1 payment, −$4.00');
});

test.each([
  { state: 'failed', reverses: null, name: 'Still open', open: '$20.00' },
  { state: 'cancelled', reverses: null, name: 'Left unpaid', open: '$20.00' },
  { state: 'cancelled', reverses: freshId(), name: 'Left in place', open: '−$20.00' },
] as const)(
  'the statement of a $state run says what is open as $name',
  async ({ state, reverses, name, open: amount }) => {
    const why = { code: 'cancelled', params: { by: 'ines.moreau' } } as const;
    const run = listedRun({ state, why, reverses, paidLines: 1, paid: '36.555' });
    const progress = progressOf(run, { chunks: 2, paidChunks: 1, open: { chunks: 1, lines: 1, amount: '20.00' } });
    answerRun(run, { detail: { progress } });
    open();
    const row = page.getByRole('row', { name });
    await expect.element(row).toHaveTextContent(`${name}–${amount}`);
  },
);

test('the statement of a completed run has no row for what is open', async () => {
  answerRun(listedRun());
  open();
  await expect.element(page.getByRole('row', { name: 'Transfers posted' })).toBeVisible();
  expect(main().element().textContent).not.toMatch(/Still open|Left unpaid/);
});

const tooLow = {
  code: 'treasury-too-low',
  params: { asset: 'USD', treasuryUnits: '0', neededUnits: '56555000' },
} as const;
const asked = { by: 'ines.moreau', approvedBy: 'kenji.sato' };

test.each([
  { request: asked, names: 'Requested by ines.moreau and approved by kenji.sato.' },
  { request: { ...asked, approvedBy: null }, names: 'Requested by ines.moreau.' },
  { startedBy: 'ines.moreau', names: 'Started by ines.moreau.' },
  { plannedBy: 'ines.moreau', names: 'Planned by ines.moreau.' },
  { names: 'Planned by the schedule.' },
])(
  'a refused run says who is behind it: $names',
  async ({ request = null, names, startedBy = null, plannedBy = null }) => {
    const people = { startedBy, plannedBy };
    answerRun(listedRun({ state: 'refused', why: tooLow, paidLines: 0, paid: '0.00', ...people }), {
      detail: { request },
    });
    open();
    await expect
      .element(page.getByRole('alert').first())
      .toHaveTextContent(
        `The treasury has $0.00, but $56.555 is needed. None of the planned $56.555 was paid. ${names}`,
      );
  },
);

test('a planned run shows what the treasury has, and what is left or missing', async () => {
  const planned = listedRun({ state: 'planned', startedAt: null, endedAt: null, paidLines: 0, paid: '0.00' });
  answerRun(planned, { detail: { cover: { treasury: '100.00', reserved: '20.00', needed: '56.555' } } });
  open();
  const cover = page.getByRole('heading', { name: 'Treasury coverage' });
  await expect.element(cover).toBeVisible();
  const card = () => cover.element().closest('section')?.textContent;
  expect(card()).toBe('Treasury coverageTreasury$100.00Reserved for other runs$20.00Left after this run$23.445');
  answerRun(planned, { detail: { cover: { treasury: '60.00', reserved: '20.00', needed: '56.555' } } });
  open();
  await expect.poll(card).toBe('Treasury coverageTreasury$60.00Reserved for other runs$20.00Shortfall$16.555');
});

const since = (lines: number) => ({ lines, amount: '1.50' });

test.each([
  { reverses: null, lines: 1, text: 'one payment was skipped because the user was no longer eligible ($1.50).' },
  { reverses: null, lines: 2, text: '2 payments were skipped because their users were no longer eligible ($1.50).' },
  {
    reverses: freshId(),
    lines: 1,
    text: 'one payment was skipped because the user no longer had the stake that was returned ($1.50).',
  },
])('a run that skipped $lines of its payments says why ($reverses)', async ({ reverses, lines, text }) => {
  const run = listedRun({ reverses });
  answerRun(run, { detail: { progress: progressOf(run, { skippedSince: since(lines) }) } });
  open();
  await expect.element(page.getByRole('alert').first()).toMatchTextContent(text);
});
