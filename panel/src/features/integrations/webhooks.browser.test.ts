import {
  createWebhook,
  removeWebhook,
  replayWebhook,
  retryDelivery,
  rotateWebhookSecret,
  setWebhookState,
  testWebhook,
  updateWebhook,
  type Webhook,
} from 'contract/integrations-webhooks.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { longAgo } from '#panel/testing/list-answers.ts';
import { button, expectDisabledBecause, expectNone, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, emit, fault, refuse } from '#panel/testing/server.ts';
import { answerWebhooks, attempt, delivery, webhook } from '#panel/testing/webhook-answers.ts';

const secret = 'whsec_c2VjcmV0IG9mIHRoaXMgdGVzdA==';
const modal = (name: string) => page.getByRole('dialog', { name, exact: true });
const item = (url: RegExp) => page.getByRole('region', { name: 'Webhooks' }).getByRole('link', { name: url });

function openTab(path = '?tab=webhooks') {
  visitSignedIn(`/dashboard/integrations${path}`);
}

/** Opens the drawer of a webhook. */
function openWebhook(one: Webhook, rows: Omit<Parameters<typeof answerWebhooks>[0], 'webhooks'> = {}) {
  answerWebhooks({ webhooks: [one], ...rows });
  openTab(`?webhook=${one.id}`);
  return modal('Webhook');
}

test('a webhook is added, and its secret is shown once with a button that copies it', async () => {
  const webhooks: Webhook[] = [];
  answerWebhooks({ webhooks });
  answer(createWebhook, ({ body }) => {
    webhooks.push(webhook({ url: body.url, description: body.description, types: body.types }));
    return { webhook: webhooks[0] ?? webhook(), secret };
  });
  openTab();
  await expect.element(page.getByText('No webhooks yet.')).toBeVisible();
  await expectAccessible();
  await button('Add webhook').click();
  const form = modal('Add webhook');
  await form.getByRole('button', { name: 'Add webhook' }).click();
  await expect.element(form.getByText('Enter a URL.', { exact: true })).toBeVisible();
  await form.getByLabelText('URL').fill('platform');
  await expect.element(form.getByText('Enter a complete URL.', { exact: true })).toBeVisible();
  await form.getByLabelText('URL').fill('https://platform.example.com/hook');
  await form.getByLabelText('Description').fill('Platform');
  await form.getByLabelText('Events').selectOptions('Selected events');
  await form.getByRole('button', { name: 'Add webhook' }).click();
  await expect.element(form.getByText('Choose at least one event.')).toBeVisible();
  await form.getByLabelText('payment.made', { exact: true }).click();
  await expectAccessible();
  await form.getByRole('button', { name: 'Add webhook' }).click();
  await expect.element(form.getByText(secret)).toBeVisible();
  await expect.element(form.getByRole('button', { name: 'Copy secret' })).toBeVisible();
  await expectAccessible();
  expect(callsTo(createWebhook)).toMatchObject([
    { body: { url: 'https://platform.example.com/hook', description: 'Platform', types: ['payment.made'] } },
  ]);
  await form.getByRole('button', { name: 'Done' }).click();
  await expectNone(page.getByText(secret));
  await expect.element(item(/platform\.example\.com/)).toBeVisible();
});

test('a private address is refused in the form, which keeps what was typed', async () => {
  answerWebhooks({});
  refuse(createWebhook, 'WebhookTargetPrivate');
  openTab();
  await button('Add webhook').click();
  const form = modal('Add webhook');
  await form.getByLabelText('URL').fill('https://10.0.0.1/');
  await form.getByRole('button', { name: 'Add webhook' }).click();
  await expect.element(form.getByRole('alert')).toMatchTextContent('This URL leads to a private or reserved address.');
  await expect.element(form.getByLabelText('URL')).toHaveValue('https://10.0.0.1/');
});

test('the list shows what is active, failing and paused, and what is pending', async () => {
  answerWebhooks({
    webhooks: [
      webhook({ url: 'https://one.example.com/', pending: 1_204, failingSince: longAgo, failed: 2 }),
      webhook({ url: 'https://two.example.com/', state: 'paused', pausedReason: 'failing', types: ['payment.made'] }),
      webhook({ url: 'https://three.example.com/', state: 'paused', pausedReason: 'manual' }),
    ],
  });
  openTab();
  await expect.element(item(/one\.example\.com\/ ?Failing/)).toBeVisible();
  await expect.element(item(/two\.example\.com\/ ?Paused: failing/)).toBeVisible();
  await expect.element(item(/three\.example\.com\/ ?Paused$/)).toBeVisible();
  await expect.element(page.getByText('1,204 pending')).toBeVisible();
  await expect.element(page.getByText('2 failed')).toBeVisible();
  await expectAccessible();
});

test('a failed delivery shows the request and the response, and is sent again or replayed from', async () => {
  const failed = delivery({ state: 'failed', attempts: 9, lastStatus: 500, lastError: 'status' });
  const attempts = [
    attempt({ no: 2, status: null, error: 'timed-out', answer: null }),
    attempt({ no: 1, status: 500, error: 'status', answer: '{"error":"database is down"}' }),
  ];
  answer(retryDelivery, () => ({ delivery: { ...failed, state: 'pending' as const, attempts: 0, dueAt: longAgo } }));
  answer(replayWebhook, { from: failed.seq });
  const drawer = openWebhook(webhook({ failed: 1 }), { deliveries: [failed, delivery()], attempts });
  await expect.element(drawer.getByText(/HTTP 500, 9 attempts/)).toBeVisible();
  await drawer.getByRole('button', { name: 'Failed' }).click();
  await expect.poll(() => drawer.getByRole('listitem').elements()).toHaveLength(1);
  await expectAccessible();
  await drawer.getByRole('link', { name: /withdrawal\.approved/ }).click();
  await expect.element(drawer.getByText('No complete response within 5 seconds')).toBeVisible();
  await drawer.getByText('HTTP 500').click();
  await expect.element(drawer.getByText('{"error":"database is down"}')).toBeVisible();
  await expect.element(drawer.getByText(/"amount": "12\.50"/)).toBeVisible();
  await expectAccessible();
  await drawer.getByRole('button', { name: 'Send again' }).click();
  await expect.element(toast('Event queued again')).toBeVisible();
  expect(callsTo(retryDelivery)).toEqual([{ params: { id: failed.id } }]);
  await drawer.getByRole('button', { name: 'Replay from here' }).click();
  await modal('Replay events').getByRole('button', { name: 'Replay', exact: true }).click();
  await expect.element(toast('Replay started')).toBeVisible();
  expect(callsTo(replayWebhook)).toMatchObject([{ body: { from: { seq: failed.seq } } }]);
  await drawer.getByRole('button', { name: 'Back to deliveries' }).click();
  await expect.element(drawer.getByRole('button', { name: 'Failed' })).toHaveAttribute('aria-pressed', 'true');
});

test('a replay starts from a time in UTC or from an event, and a refusal is shown in the form', async () => {
  const drawer = openWebhook(webhook());
  refuse(replayWebhook, 'NothingToReplay');
  await drawer.getByRole('button', { name: 'Replay' }).click();
  const form = modal('Replay events');
  const submit = () => form.getByRole('button', { name: 'Replay', exact: true }).click();
  await submit();
  await expect.element(form.getByText('Enter a date and time.')).toBeVisible();
  await form.getByLabelText('Date and time (UTC)').fill('2026-11-01T10:30');
  await submit();
  await expect.element(form.getByRole('alert')).toMatchTextContent('There are no events from this point on.');
  await form.getByLabelText('Start from').selectOptions('An event');
  await form.getByLabelText('Event number').fill('seven');
  await submit();
  await expect.element(form.getByText('Enter the number of an event.')).toBeVisible();
  answer(replayWebhook, { from: 7n });
  await form.getByLabelText('Event number').fill('7');
  await submit();
  await expect.element(toast('Replay started')).toBeVisible();
  expect(callsTo(replayWebhook).map(({ body }) => body.from)).toEqual([
    { time: new Date('2026-11-01T10:30:00Z') },
    { seq: 7n },
  ]);
});

test('a webhook is paused and resumed, and while it is paused nothing can be sent', async () => {
  const one = webhook();
  answer(setWebhookState, ({ body: { state } }) => ({
    webhook: Object.assign(one, { state, pausedReason: state === 'paused' ? 'manual' : null }),
  }));
  answer(testWebhook, {});
  const drawer = openWebhook(one);
  await drawer.getByRole('button', { name: 'Send test event' }).click();
  await expect.element(toast('Test event queued')).toBeVisible();
  await drawer.getByRole('button', { name: 'Pause' }).click();
  await expect.element(drawer.getByRole('button', { name: 'Resume' })).toBeVisible();
  const why = 'This webhook is paused. Resume it first.';
  await expectDisabledBecause(drawer.getByRole('button', { name: 'Send test event' }), why);
  await expectDisabledBecause(drawer.getByRole('button', { name: 'Replay' }), why);
  await drawer.getByRole('button', { name: 'Resume' }).click();
  await expect.element(drawer.getByRole('button', { name: 'Pause' })).toBeVisible();
});

test('rotating shows the new secret once, and says how long the old one stays valid', async () => {
  const one = webhook();
  const drawer = openWebhook(one);
  answer(rotateWebhookSecret, () => ({ webhook: Object.assign(one, { rotatingUntil: new Date() }), secret }));
  await drawer.getByRole('button', { name: 'Rotate secret' }).click();
  const form = modal('Rotate secret');
  await form.getByRole('button', { name: 'Rotate secret' }).click();
  await expect.element(form.getByText(secret)).toBeVisible();
  await expect.element(form.getByText(/The old secret stays valid for 24 hours/)).toBeVisible();
  await form.getByRole('button', { name: 'Done' }).click();
  await expect.element(drawer.getByText('Old secret valid until')).toBeVisible();
  await expectNone(page.getByText(secret));
});

test('a webhook is edited with its version, and a conflict is shown in the form', async () => {
  const one = webhook({ types: ['payment.made'], version: 3 });
  const drawer = openWebhook(one);
  refuse(updateWebhook, 'WebhookConflict');
  await drawer.getByRole('button', { name: 'Edit' }).click();
  const form = modal('Edit webhook');
  await form.getByLabelText('Description').fill('Other');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect.element(form.getByRole('alert')).toMatchTextContent('Someone else has just changed this webhook.');
  answer(updateWebhook, ({ body }) => ({ webhook: Object.assign(one, { description: body.description, version: 4 }) }));
  await form.getByRole('button', { name: 'Save' }).click();
  await expect.element(toast('Webhook saved')).toBeVisible();
  expect(callsTo(updateWebhook).at(-1)).toMatchObject({
    body: { url: one.url, description: 'Other', types: ['payment.made'], version: 3 },
  });
  await expect.element(drawer.getByText('Other', { exact: true })).toBeVisible();
});

test('a webhook is removed after a confirmation, and the drawer closes', async () => {
  const webhooks = [webhook()];
  answerWebhooks({ webhooks });
  answer(removeWebhook, () => {
    webhooks.pop();
    return {};
  });
  openTab(`?webhook=${webhooks[0]?.id}`);
  await modal('Webhook').getByRole('button', { name: 'Remove' }).click();
  await modal('Remove webhook').getByRole('button', { name: 'Remove' }).click();
  await expect.element(toast('Webhook removed')).toBeVisible();
  await expectNone(modal('Webhook'));
  await expect.element(page.getByText('No webhooks yet.')).toBeVisible();
});

test('a webhook that was paused for failing says what to do, and another administrator’s change appears', async () => {
  const one = webhook({ state: 'paused', pausedReason: 'failing', failingSince: longAgo });
  const drawer = openWebhook(one);
  await expect.element(drawer.getByText(/Paused because every delivery failed for 24 hours/)).toBeVisible();
  await expectAccessible();
  Object.assign(one, { state: 'active', pausedReason: null, failingSince: null });
  emit('integrations', one.id);
  await expect.element(drawer.getByRole('button', { name: 'Pause' })).toBeVisible();
  await expectNone(drawer.getByText(/Paused because every delivery failed for 24 hours/));
});

test('a failed call is reported', async () => {
  const drawer = openWebhook(webhook());
  fault(testWebhook);
  await drawer.getByRole('button', { name: 'Send test event' }).click();
  await expect.element(toast('Failed to send a test event')).toBeVisible();
});

test('an auditor reads everything with every action disabled, and others have no access', async () => {
  const one = webhook();
  answerWebhooks({ webhooks: [one] }, adminWith('Auditor'));
  openTab();
  await expectDisabledBecause(button('Add webhook'), 'Your role does not allow this.');
  await item(/platform\.example\.com/).click();
  for (const name of ['Pause', 'Send test event', 'Replay', 'Edit', 'Rotate secret', 'Remove'])
    await expectDisabledBecause(
      modal('Webhook').getByRole('button', { name, exact: true }),
      'Your role does not allow this.',
    );
  answerWebhooks({ webhooks: [one] }, adminWith('Finance'));
  openTab();
  await expect.element(page.getByText("You don't have access to integrations.")).toBeVisible();
  await expectAccessible();
});
