import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { visitSignedIn } from '#panel/testing/app.ts';
import { freshId } from '#panel/testing/list-answers.ts';
import { answerRun, listedRun } from '#panel/testing/run-answers.ts';
import { main } from '#panel/testing/screen.ts';

const open = () => visitSignedIn(`/dashboard/runs/${freshId()}`);

test('a plan that was denied says by whom and why', async () => {
  const denial = { by: 'kenji.sato', reason: 'The pool is too large.' };
  answerRun(listedRun({ state: 'planned', begunAt: null, endedAt: null }), { detail: { approval: freshId(), denial } });
  open();
  await expect.element(page.getByText('kenji.sato denied this plan: The pool is too large.')).toBeVisible();
});

test('what a run pays is compared with all that the run before it paid, loyalty included', async () => {
  const before = { id: freshId(), period: '2026-11-11', lines: 1, pays: '50.00', releases: '6.00' };
  answerRun(listedRun({ lines: 2, skipped: 0, pays: '52.00', releases: '0.00' }), { detail: { before } });
  open();
  await expect.element(main()).toMatchTextContent('+1 payment, −$4.00');
});
