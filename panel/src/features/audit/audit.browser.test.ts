import { listAuditEntries } from 'contract/audit.ts';
import { type AuditVerification, readAuditVerification, startAuditVerification } from 'contract/audit-verification.ts';
import { startExport } from 'contract/reports.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { answerAudit, auditEntry } from '#panel/testing/audit-answers.ts';
import { freshId, longAgo } from '#panel/testing/list-answers.ts';
import { button, dialog, expectNone, main, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, emit, refuse } from '#panel/testing/server.ts';
import { answerTasks, task } from '#panel/testing/task-answers.ts';

const link = (name: string | RegExp) => page.getByRole('link', { name, exact: typeof name === 'string' });

test('a row says who did what to which item, and opens with before and after side by side', async () => {
  const user = freshId();
  const entry = auditEntry({
    action: 'users.blacklist',
    subject: user,
    subjectName: 'mira.k',
    details: {
      reason: 'Several accounts',
      before: { isBlacklisted: false, rank: 'Gold' },
      after: { isBlacklisted: true, rank: 'Gold' },
    },
  });
  answerAudit([entry]);
  visitSignedIn('/dashboard/audit');
  await expect.element(link('mira.k')).toHaveAttribute('href', `/dashboard/user-profile/${user}`);
  await expectAccessible();
  await link(/: Users, Blacklist$/).click();
  const changes = dialog().getByRole('table');
  await expect.element(changes).toBeVisible();
  expect([...changes.element().querySelectorAll('tr')].map((row) => row.innerText.split(/\s+/))).toEqual([
    ['Field', 'Before', 'After'],
    ['isBlacklisted', 'false', 'true'],
  ]);
  await expect.element(dialog().getByText('Several accounts')).toBeVisible();
  await expectAccessible();
  await dialog().getByRole('link', { name: 'All rows about this item' }).click();
  await expect.poll(() => callsTo(listAuditEntries).at(-1)?.querystring).toMatchObject({ subject: user });
  await expectNone(dialog());
});

test('the actions of the chosen area can be chosen, and the filters are sent to the server', async () => {
  answerAudit([auditEntry()]);
  visitSignedIn('/dashboard/audit');
  await button('Filter').click();
  await expectNone(page.getByRole('menuitemradio', { name: 'Set status' }));
  await page.getByRole('menuitemradio', { name: 'Tickets' }).click();
  await button('Filter').click();
  await page.getByRole('menuitemradio', { name: 'Set status' }).click();
  await button('Filter').click();
  await page.getByRole('menuitemradio', { name: 'System' }).click();
  await main().getByLabelText('From').fill('2026-11-01');
  await expect
    .poll(() => callsTo(listAuditEntries).at(-1)?.querystring)
    .toMatchObject({ feature: 'tickets', action: 'tickets.set-status', caller: 'system', from: '2026-11-01' });
});

test('the export has the filters of the list', async () => {
  answerAudit([auditEntry()]);
  refuse(startExport, 'TooManyExports');
  visitSignedIn('/dashboard/audit?feature=tickets&caller=system');
  await button('Export CSV').click();
  await expect.element(toast('Failed to start the export')).toBeVisible();
  expect(callsTo(startExport)).toMatchObject([
    { body: { tab: 'audit', filter: { audit: { feature: 'tickets', caller: 'system' } } } },
  ]);
});

test('administrators who may not read the log are told so, and see no trail', async () => {
  const one = task();
  answerTasks([one], adminWith('Support'));
  visitSignedIn('/dashboard/audit');
  await expect.element(page.getByText("You don't have access to the audit log.")).toBeVisible();
  expect(callsTo(listAuditEntries)).toEqual([]);
  visitSignedIn(`/dashboard/manage-task?task=${one.id}`);
  await expect.element(dialog().getByRole('heading', { name: one.title })).toBeVisible();
  await expectNone(dialog().getByRole('button', { name: 'Trail' }));
});

test('the trail of an item is loaded when it is opened, and leads to the log', async () => {
  const one = task();
  answerAudit([auditEntry({ action: 'tasks.change', subject: one.id, details: { before: { reward: '1' } } })]);
  answerTasks([one]);
  visitSignedIn(`/dashboard/manage-task?task=${one.id}`);
  const trail = dialog().getByRole('button', { name: 'Trail' });
  await expect.element(trail).toHaveAttribute('aria-expanded', 'false');
  expect(callsTo(listAuditEntries)).toEqual([]);
  await trail.click();
  await expect.element(dialog().getByText('reward: 1')).toBeVisible();
  expect(callsTo(listAuditEntries)[0]).toMatchObject({ querystring: { subject: one.id } });
  await expectAccessible();
  await dialog().getByRole('link', { name: 'View in the audit log' }).click();
  await expect.element(page.getByRole('heading', { level: 1, name: 'Audit Log' })).toBeVisible();
});

const verification = (given: Partial<AuditVerification> = {}): AuditVerification => ({
  id: freshId(),
  requestedBy: 'lucia.brandt',
  state: 'done',
  rowsDone: 1_204,
  rowsTotal: 1_204,
  findings: [],
  createdAt: longAgo,
  endedAt: longAgo,
  ...given,
});

test('a verification shows its progress, and then its verdict', async () => {
  answerAudit([auditEntry()]);
  const running = verification({ state: 'running', rowsDone: 400, endedAt: null });
  let current: AuditVerification | null = null;
  let last: AuditVerification | null = null;
  answer(readAuditVerification, () => ({ current, last, heads: null, publishedAt: longAgo }));
  answer(startAuditVerification, () => {
    current = running;
    return { verification: running };
  });
  visitSignedIn('/dashboard/audit');
  await expect.element(page.getByText('The log has not been verified yet.')).toBeVisible();
  await button('Verify log').click();
  await expect.element(page.getByText('400 of 1,204 rows verified.')).toBeVisible();
  await expectAccessible();
  current = null;
  last = verification({
    findings: [{ code: 'row-altered', where: ['9'], count: 1, since: null }],
  });
  emit('audit');
  await expect.element(page.getByText('Row 9 is altered')).toBeVisible();
  await expect.element(button('Verify log')).toBeVisible();
  await expectAccessible();
});
