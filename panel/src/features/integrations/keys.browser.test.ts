import {
  createApiKey,
  listApiKeys,
  readApiKeyUsage,
  revokeApiKey,
  rotateApiKey,
  type ApiKey,
} from 'contract/integrations-keys.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminWith, answerFrame, visitSignedIn } from '#panel/testing/app.ts';
import { freshId, longAgo } from '#panel/testing/list-answers.ts';
import { button, expectDisabledBecause, toast } from '#panel/testing/screen.ts';
import { answer, callsTo } from '#panel/testing/server.ts';

const secret = 'bursar_k3yPr3f1x_c2VjcmV0';
const modal = (name: string) => page.getByRole('dialog', { name, exact: true });

const keySecret = (change: Partial<ApiKey['secrets'][number]> = {}): ApiKey['secrets'][number] => ({
  prefix: 'bursar_k3yPr3f1x',
  createdAt: longAgo,
  createdBy: 'ann',
  lastUsedAt: null,
  validUntil: null,
  state: 'active',
  waiting: null,
  ...change,
});

const apiKey = (change: Partial<ApiKey> = {}): ApiKey => ({
  id: freshId(),
  name: 'Production backend',
  scopes: ['users:write'],
  state: 'active',
  requestsPerMinute: 600,
  expiresAt: null,
  createdAt: longAgo,
  createdBy: 'ann',
  lastUsedAt: null,
  requests: 0,
  errors: 0,
  secrets: [keySecret()],
  ...change,
});

function openKeys(keys: ApiKey[], path = '') {
  answerFrame();
  answer(listApiKeys, () => ({ keys }));
  answer(readApiKeyUsage, { hours: [{ hour: longAgo, requests: 1_204, errors: 3 }] });
  visitSignedIn(`/dashboard/integrations${path}`);
}

test('a key that moves money is created, shown once, and waits for another Super Admin', async () => {
  const keys: ApiKey[] = [];
  answer(createApiKey, ({ body }) => {
    keys.push(apiKey({ ...body, state: 'waiting', secrets: [keySecret({ state: 'waiting' })] }));
    return { key: keys[0] ?? apiKey(), secret };
  });
  openKeys(keys);
  await expect.element(page.getByText('No API keys yet.')).toBeVisible();
  await expectAccessible();
  await button('Create API key').click();
  const form = modal('Create API key');
  await form.getByRole('button', { name: 'Create API key' }).click();
  await expect.element(form.getByText('Enter a name.', { exact: true })).toBeVisible();
  await expect.element(form.getByText('Choose at least one scope.')).toBeVisible();
  await form.getByLabelText('Name').fill('Production backend');
  await form.getByLabelText('Record deposits').click();
  await expect.element(form.getByText('another Super Admin must approve the key')).toBeVisible();
  await expectAccessible();
  await form.getByRole('button', { name: 'Create API key' }).click();
  await expect.element(form.getByText(secret)).toBeVisible();
  await expect.element(form.getByText('It works once another Super Admin has approved it.')).toBeVisible();
  await form.getByRole('button', { name: 'Done' }).click();
  await expect.element(page.getByRole('link', { name: 'Production backend' })).toBeVisible();
  await expect.element(page.getByText('Awaiting approval')).toBeVisible();
  expect(callsTo(createApiKey).map(({ body }) => body)).toEqual([
    { name: 'Production backend', scopes: ['deposits:write'], requestsPerMinute: 600, days: 365 },
  ]);
});

test('a key shows its scopes, secrets and requests, is rotated with an overlap, and is revoked', async () => {
  const keys = [apiKey({ requests: 1_204, errors: 3 })];
  const [key = apiKey()] = keys;
  answer(rotateApiKey, () => {
    keys[0] = { ...key, secrets: [keySecret({ prefix: 'bursar_n3w' }), keySecret({ validUntil: longAgo })] };
    return { key: keys[0], secret };
  });
  answer(revokeApiKey, () => {
    keys[0] = { ...key, state: 'revoked' };
    return { key: keys[0] };
  });
  openKeys(keys, `?key=${key.id}`);
  const drawer = modal('API key');
  await expect.element(drawer.getByText('Add users')).toBeVisible();
  await expect.element(drawer.getByText('1,204')).toBeVisible();
  await expectAccessible();
  await drawer.getByRole('button', { name: 'Rotate' }).click();
  await modal('Rotate API key').getByLabelText('The current secret stays valid for').selectOptions('7 days');
  await modal('Rotate API key').getByRole('button', { name: 'Create new secret' }).click();
  await expect.element(modal('Rotate API key').getByText(secret)).toBeVisible();
  await modal('Rotate API key').getByRole('button', { name: 'Done' }).click();
  await expect.element(drawer.getByText('bursar_n3w_…')).toBeVisible();
  expect(callsTo(rotateApiKey).map(({ body }) => body)).toEqual([{ hours: 168 }]);
  await drawer.getByRole('button', { name: 'Revoke' }).click();
  await modal('Revoke API key').getByRole('button', { name: 'Revoke' }).click();
  await expect.element(toast('API key revoked')).toBeVisible();
  await expectDisabledBecause(drawer.getByRole('button', { name: 'Rotate' }), 'This API key was revoked.');
});

test('an administrator without the permission cannot create a key', async () => {
  answerFrame(adminWith('Auditor'));
  answer(listApiKeys, { keys: [apiKey()] });
  visitSignedIn('/dashboard/integrations');
  await expectDisabledBecause(button('Create API key'), 'Your role does not allow this.');
});
