import { planRun, readCalendar } from 'contract/runs.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { answerRun, answerRuns, listedRun } from '#panel/testing/run-answers.ts';
import { button, expectDisabledBecause, expectNone } from '#panel/testing/screen.ts';
import { answer, callsTo } from '#panel/testing/server.ts';

const at = new Date();
const due = at.toISOString().slice(0, 19).replace('T', ' ');
const missed = {
  kind: 'gmp-distro' as const,
  at,
  outcome: 'missed' as const,
  run: null,
  why: { code: 'no-worker' as const, params: {} },
  isPlannable: true,
};
const plan = () => button(`Plan the GMP distribution of ${due} UTC`);

test('a missed distribution is planned from the calendar, for the time it was due', async () => {
  answerRuns([]);
  const planned = listedRun({ kind: 'gmp-distro' });
  answerRun(planned);
  answer(readCalendar, { entries: [missed] });
  answer(planRun, { run: planned });
  visitSignedIn('/dashboard/runs/calendar');
  await plan().click();
  await expect.poll(() => window.location.pathname).toBe(`/dashboard/runs/${planned.id}`);
  expect(callsTo(planRun).map(({ body }) => body)).toEqual([{ kind: 'gmp-distro', at }]);
});

test('planning what was missed needs a permission', async () => {
  answerRuns([], adminWith('Support'));
  answer(readCalendar, { entries: [missed] });
  visitSignedIn('/dashboard/runs/calendar');
  await expectDisabledBecause(plan(), 'Your role does not allow this.');
});

test('what was missed and paid since cannot be planned', async () => {
  answerRuns([]);
  answer(readCalendar, { entries: [{ ...missed, isPlannable: false }] });
  visitSignedIn('/dashboard/runs/calendar');
  await expect.element(page.getByText('Missed')).toBeVisible();
  await expectNone(plan());
});
