import { type ListedApproval, readApproval } from 'contract/approvals.ts';
import { listWithdrawals, readWithdrawal } from 'contract/withdrawals.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { signedInId, visitSignedIn } from '#panel/testing/app.ts';
import { answerApprovals, approval } from '#panel/testing/approval-answers.ts';
import { freshId } from '#panel/testing/list-answers.ts';
import { answerRun, listedRun } from '#panel/testing/run-answers.ts';
import { dialog, expectDisabledBecause } from '#panel/testing/screen.ts';
import { answer, callsTo, emit, fault } from '#panel/testing/server.ts';

const address = '/dashboard/approvals';
const row = (name: string) => page.getByRole('row').filter({ hasText: name });

const accountFacts = [
  { key: 'administrator', value: 'eve' },
  { key: 'authority', value: 'created' },
];

test('the list formats amounts like other pages and shows the risk signals of a withdrawal', async () => {
  const adjustment = approval({
    kind: 'adjustment',
    facts: [
      { key: 'user', value: 'tara' },
      { key: 'adjustment', value: '40 SHARE' },
      { key: 'reason', value: 'Promised.' },
    ],
  });
  const requests = [approval({ signals: ['shared wallet'] }), adjustment];
  answerApprovals(() => requests);
  visitSignedIn(address);
  await expect.element(row('milancosta')).toMatchTextContent('$1,234.50');
  await expect.element(row('milancosta')).toMatchTextContent('shared wallet');
  await expect.element(row('tara')).toMatchTextContent('+40shares');
  await expect.element(page.getByText('2 waiting, 2 for you to decide')).toBeVisible();
});

test('a withdrawal request shows the risk signals, balance and history that the requester saw', async () => {
  const request = approval();
  answerApprovals(() => [request]);
  visitSignedIn(`${address}?approval=${request.id}`);
  await expect.element(dialog()).toMatchTextContent('Amount$1,234.50');
  const wallet = dialog().getByRole('region', { name: 'Requested change' }).getByRole('button');
  await expect.element(wallet).toHaveAttribute('title', '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU');
  await expect.element(wallet).toMatchTextContent('7xKXtg…gAsU');
  const requestedAt = 'time[datetime="2026-11-01T10:00:00.000Z"]';
  expect(dialog().element().querySelector(requestedAt)?.textContent).toMatch(/^1 Nov|ago$/);
  await expect.element(dialog()).toMatchTextContent('Another user has this wallet');
  await expect.element(dialog()).toMatchTextContent('Balance$2,000.00');
  await expect.element(dialog()).toMatchTextContent('Available$416.72');
  await expect.element(dialog()).toMatchTextContent('Total withdrawn$77.00');
  await expect.element(dialog().getByRole('listitem').filter({ hasText: 'Completed' })).toMatchTextContent('$77.00');
  expect(callsTo(readWithdrawal)[0]?.params.id).toBe(request.subject);
  expect(callsTo(listWithdrawals)[0]?.querystring).toMatchObject({ limit: 6 });
});

test('a request stays visible when its withdrawal cannot be loaded', async () => {
  const request = approval();
  answerApprovals(() => [request]);
  fault(readWithdrawal);
  visitSignedIn(`${address}?approval=${request.id}`);
  await expect.element(dialog()).toMatchTextContent('Failed to fetch the withdrawal');
  await expect.element(dialog()).toMatchTextContent('Amount$1,234.50');
});

test('a single administrator can approve their own request when the waiting period ends', async () => {
  const request = approval({ requestedBy: { id: signedInId, username: 'ines.moreau' }, refusal: 'TooEarly' });
  answerApprovals(() => [request]);
  answer(readApproval, { approval: request, aloneAfterSeconds: 60, approvers: [] });
  visitSignedIn(`${address}?approval=${request.id}`);
  await expect.element(dialog().getByRole('button', { name: 'Approve' })).not.toHaveAttribute('aria-disabled', 'true');
});

test('a request lists who may approve it, and of each other approver why not', async () => {
  const request = approval({ kind: 'account', facts: accountFacts, refusal: null });
  answerApprovals(() => [request]);
  answer(readApproval, {
    approval: request,
    aloneAfterSeconds: null,
    approvers: [
      { username: 'ines.moreau', refusal: null, from: null },
      { username: 'kenji.sato', refusal: 'OwnRequest', from: null },
      { username: 'eve', refusal: 'OwnAccount', from: null },
      { username: 'noor', refusal: 'PasswordTemporary', from: null },
      { username: 'ravi', refusal: 'AccountUnconfirmed', from: new Date('2026-11-21T10:00:00Z') },
      { username: 'zoe', refusal: 'AccountUnconfirmed', from: null },
    ],
  });
  visitSignedIn(`${address}?approval=${request.id}`);
  await expect.element(dialog()).toMatchTextContent('May approveines.moreau');
  await expect
    .element(dialog())
    .toMatchTextContent(
      'May not approvekenji.sato (requested it), eve (own account), noor (temporary password), ravi (account not confirmed; may approve from 21 Nov 2026, 10:00 UTC), zoe (account denied)',
    );
});

test('a request that no one may approve says so', async () => {
  const request = approval({ refusal: 'OwnRequest' });
  answerApprovals(() => [request]);
  const approvers = [{ username: 'ines.moreau', refusal: 'OwnRequest' as const, from: null }];
  answer(readApproval, { approval: request, aloneAfterSeconds: null, approvers });
  visitSignedIn(`${address}?approval=${request.id}`);
  await expect.element(dialog()).toMatchTextContent('May approveNo one at the moment');
  await expectDisabledBecause(
    dialog().getByRole('button', { name: 'Approve' }),
    'You requested this, so someone else must decide.',
  );
});

test('requests about ranks, administrators and revoked rewards are named by what they would do', async () => {
  const administrator = { key: 'administrator', value: 'eve' };
  const task = [
    { key: 'user', value: 'tara' },
    { key: 'amount', value: '-5000000 USD' },
  ];
  const requests = [
    approval({ kind: 'promotion', facts: [{ key: 'user', value: 'mira.k' }] }),
    approval({ kind: 'demotion', facts: [administrator] }),
    approval({ kind: 'removal', facts: [administrator] }),
    approval({ kind: 'account', facts: accountFacts }),
    approval({ kind: 'task', facts: task }),
    approval({ kind: 'reveal', facts: [{ key: 'user', value: 'noor' }] }),
  ];
  answerApprovals(() => requests);
  visitSignedIn(address);
  for (const name of [
    'Promotion: mira.k',
    'Change administrator: eve',
    'Delete administrator: eve',
    'Confirm account: eve',
    'Revoked task reward of tara',
    'Private key of noor',
  ]) {
    await expect.element(page.getByRole('link', { name: `View request: ${name}` })).toBeVisible();
  }
});

test.each<[Partial<ListedApproval>, string, string]>([
  [
    { kind: 'settings', facts: [{ key: 'job', value: 'rank-promotion' }] },
    'View settings',
    '/dashboard/settings/cronjobs/rank-promo',
  ],
  [
    { kind: 'settings', facts: [{ key: 'job', value: 'rank-bonus' }] },
    'View settings',
    '/dashboard/settings/cronjobs/rank-bonus',
  ],
  [
    { kind: 'promotion', userUuid: null, facts: [{ key: 'users', value: '2' }] },
    'View rank promotion',
    '/dashboard/settings/cronjobs/rank-promo',
  ],
])('the request %j links to what it would change', async (given, name, path) => {
  const request = approval(given);
  answerApprovals(() => [request]);
  visitSignedIn(`${address}?approval=${request.id}`);
  await expect.element(dialog().getByRole('link', { name })).toHaveAttribute('href', path);
});

test('a risk signal caused by a change of the user appears in the list of requests', async () => {
  const request = approval();
  answerApprovals(() => [request]);
  visitSignedIn(address);
  await expect.element(row('milancosta')).toBeVisible();
  request.signals = ['sponsor blacklisted'];
  emit('users');
  await expect.element(row('milancosta')).toMatchTextContent('sponsor blacklisted');
});

test('an administrator without the permission for a kind of request can neither approve nor deny it', async () => {
  const request = approval({ kind: 'limit', refusal: 'ApproverNotPermitted' });
  answerApprovals(() => [request]);
  visitSignedIn(`${address}?approval=${request.id}`);
  for (const name of ['Approve', 'Deny']) {
    const button = dialog().getByRole('button', { name });
    await expect.element(button).toHaveAttribute('aria-disabled', 'true');
    await expect
      .element(button)
      .toHaveAccessibleDescription(
        'Your permissions do not cover this kind of request, so another administrator must decide.',
      );
  }
});

test('an administrator whose account is not confirmed sees why they cannot approve a request', async () => {
  const request = approval({ refusal: 'AccountUnconfirmed' });
  answerApprovals(() => [request]);
  visitSignedIn(`${address}?approval=${request.id}`);
  await expectDisabledBecause(
    dialog().getByRole('button', { name: 'Approve' }),
    'Another approver must confirm your account before you can approve anything.',
  );
});

test('a request for a run shows the treasury and the previous run, as the requester saw them', async () => {
  const planned = listedRun({ state: 'waiting' });
  const facts = [
    { key: 'job', value: planned.kind },
    { key: 'period', value: planned.period },
    { key: 'amount', value: '56555000 USD' },
  ];
  const request = approval({ kind: 'run', subject: planned.id, userUuid: null, facts });
  answerApprovals(() => [request]);
  const before = { id: freshId(), period: '2026-10-31', lines: 2, pays: '50.00', releases: '0.00' };
  const cover = { treasury: '60.00', reserved: '20.00', needed: '56.555' };
  answerRun(planned, { detail: { before, cover } });
  visitSignedIn(`${address}?approval=${request.id}`);
  await expect.element(dialog()).toMatchTextContent('Treasury$60.00');
  await expect.element(dialog()).toMatchTextContent('Shortfall$16.555');
  await expect.element(dialog()).toMatchTextContent('Previous run');
});
