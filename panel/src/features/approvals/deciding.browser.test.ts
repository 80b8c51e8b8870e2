import { decideApproval, type ListedApproval } from 'contract/approvals.ts';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { visitSignedIn } from '#panel/testing/app.ts';
import { answerApprovals, approval } from '#panel/testing/approval-answers.ts';
import { button, dialog, expectNone, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, refuse } from '#panel/testing/server.ts';

const address = '/dashboard/approvals';
const search = () => Object.fromEntries(new URLSearchParams(window.location.search));
const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true });

const requestOf = (user: string, given: Partial<ListedApproval> = {}) =>
  approval({
    facts: [
      { key: 'user', value: user },
      { key: 'amount', value: '2000000000 USD' },
    ],
    ...given,
  });

/** Clicks synchronously, because a click by the browser driver is slower than a double click. */
const press = (name: string) => (inDialog(name).element() as HTMLElement).click();

async function nextFrameWith(text: string) {
  while (!dialog().element().textContent.includes(text)) {
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
    });
  }
}

/** Answers like the server: a decision changes the state of the request. */
function answerDeciding(requests: ListedApproval[]) {
  answerApprovals(() => requests);
  answer(decideApproval, ({ params, body }) => {
    const place = requests.findIndex(({ id }) => id === params.id);
    const before = requests[place] ?? approval();
    const state = body.decision === 'approve' ? 'approved' : 'denied';
    const decided = {
      ...before,
      state,
      decidedAt: new Date(),
      reason: body.reason ?? null,
      refusal: 'ApprovalDecided',
    } as const;
    requests.splice(place, 1, decided);
    return { approval: decided };
  });
}

test('a decision opens the next request, and the last decision returns to the list with its filter', async () => {
  const requests = [requestOf('first'), requestOf('mine', { refusal: 'OwnRequest' }), requestOf('second')];
  const [first, , second] = requests;
  answerDeciding(requests);
  visitSignedIn(`${address}?state=waiting`);
  await page.getByRole('link', { name: 'View request: Withdrawal for first' }).click();
  await inDialog('Approve').click();
  await expect.element(toast('Approved')).toBeVisible();
  await expect.element(dialog()).toMatchTextContent('Usersecond');
  expect(search()).toEqual({ state: 'waiting', approval: second?.id });
  await expect.poll(() => document.activeElement !== document.body).toBe(true);
  await inDialog('Deny').click();
  await dialog().getByLabelText('Reason').fill('Call them first.');
  await inDialog('Deny').click();
  await expectNone(dialog());
  expect(search()).toEqual({ state: 'waiting' });
  expect(callsTo(decideApproval).map(({ params, body }) => [params.id, body.digest, body.decision])).toEqual([
    [first?.id, first?.digest, 'approve'],
    [second?.id, second?.digest, 'deny'],
  ]);
});

test('a double click on Approve does not approve the next request', async () => {
  answerDeciding([requestOf('first'), requestOf('second')]);
  visitSignedIn(address);
  await page.getByRole('link', { name: 'View request: Withdrawal for first' }).click();
  await expect.element(inDialog('Approve')).not.toHaveAttribute('aria-disabled');
  press('Approve');
  await nextFrameWith('Usersecond');
  press('Approve');
  expect(callsTo(decideApproval)).toHaveLength(1);
  await expect.element(inDialog('Approve')).not.toHaveAttribute('aria-disabled');
  await inDialog('Approve').click();
  await expect.poll(() => callsTo(decideApproval)).toHaveLength(2);
});

test('Next and Previous move between requests by button and by key, and closing returns to the list', async () => {
  const requests = [requestOf('one'), requestOf('two'), requestOf('three')];
  answerDeciding(requests);
  visitSignedIn(address);
  await page.getByRole('link', { name: 'View request: Withdrawal for two' }).click();
  await expect.element(dialog()).toMatchTextContent('2 of 3 on this page');
  await inDialog('Next request').click();
  await expect.element(dialog()).toMatchTextContent('Userthree');
  await expect.element(inDialog('Next request')).toHaveAttribute('aria-disabled', 'true');
  await inDialog('Previous request').click();
  await userEvent.keyboard('k');
  await expect.element(dialog()).toMatchTextContent('Userone');
  expect(search()).toEqual({ approval: requests[0]?.id });
  await userEvent.keyboard('{Escape}');
  await expectNone(dialog());
  expect(search()).toEqual({});
});

test('only payments can be approved in bulk, not changes of settings or permissions', async () => {
  answerDeciding([approval(), requestOf('rates', { kind: 'settings' }), requestOf('eve', { kind: 'grant' })]);
  visitSignedIn(address);
  await page.getByRole('checkbox', { name: 'Select all 1 on this page' }).click();
  await button('Approve').click();
  const line = dialog().getByRole('listitem');
  await expect.element(line).toMatchTextContent('Wallet 7xKXtg…gAsU');
  expect(line.elements()).toHaveLength(1);
});

test('several requests are approved together, each with its own digest', async () => {
  const requests = [
    requestOf('ada', { signals: ['shared wallet'] }),
    requestOf('own', { refusal: 'OwnRequest' }),
    requestOf('ben'),
  ];
  const [ada, own, ben] = requests;
  answerDeciding(requests);
  visitSignedIn(address);
  await page.getByRole('checkbox', { name: 'Select all 2 on this page' }).click();
  expect(page.getByRole('checkbox', { name: 'Select request: Withdrawal for own' }).elements()).toHaveLength(0);
  await expect
    .element(page.getByRole('region', { name: 'Selected requests' }))
    .toMatchTextContent('2 selected$4,000.00');
  await button('Approve').click();
  await expect.element(dialog()).toMatchTextContent('Approve 2 requests totaling $4,000.00?');
  const line = dialog().getByRole('listitem').filter({ hasText: 'ada' });
  await expect.element(line).toMatchTextContent('requested by kenji.sato');
  await expect.element(line).toMatchTextContent('shared wallet');
  await inDialog('Approve 2').click();
  await expect.element(toast('2 requests approved')).toBeVisible();
  await expectNone(dialog());
  expect(callsTo(decideApproval).map(({ params, body }) => [params.id, body.digest])).toEqual([
    [ada?.id, ada?.digest],
    [ben?.id, ben?.digest],
  ]);
  expect(requests.map(({ state }) => state)).toEqual(['approved', own?.state, 'approved']);
});

test('a bulk approval lists each refused request and approves the others', async () => {
  const requests = [requestOf('ada'), requestOf('ben'), requestOf('cleo')];
  answerDeciding(requests);
  const decided = { ...(requests[0] ?? approval()), state: 'approved' } as const;
  answer(decideApproval, () => {
    refuse(decideApproval, 'ApprovalVoid');
    return { approval: decided };
  });
  visitSignedIn(address);
  await page.getByRole('checkbox', { name: 'Select all 3 on this page' }).click();
  await button('Approve').click();
  await inDialog('Approve 3').click();
  await expect.element(dialog()).toMatchTextContent('1 request approved.');
  await expect.element(dialog()).toMatchTextContent('2 requests not changed:');
  for (const user of ['ben', 'cleo']) {
    const line = dialog().getByRole('listitem').filter({ hasText: user });
    await expect.element(line).toMatchTextContent('The item has changed since this request was made');
  }
  await expectNone(page.getByRole('region', { name: 'Selected requests' }));
});
