import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { callApi } from './page-helpers.ts';
import { inGateOnce } from './tags.ts';

type Received = { headers: Record<string, string>; body: string };

/** A receiver on this machine that refuses every event until it is repaired. */
async function startReceiver() {
  const received: Received[] = [];
  const receiver = { received, isBroken: true, url: '' };
  const receive = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += String(part);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    received.push({ headers, body });
    response.writeHead(receiver.isBroken ? 500 : 204).end(receiver.isBroken ? 'The database is down.' : undefined);
  };
  const listener = http.createServer((request, response) => void receive(request, response));
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  receiver.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/hook`;
  return { receiver, stop: () => listener.close() };
}

const switchMaintenance = async (page: Page, active: boolean) =>
  expect((await callApi(page, 'POST', { path: '/api/maintenance', body: { active } })).status).toBe(200);

const drawer = (page: Page) => page.getByRole('dialog', { name: 'Webhook', exact: true });

test(
  'a webhook is added, its delivery fails, is sent again, and later events are replayed',
  inGateOnce,
  async ({ page, watch }) => {
    watch.expectFailureOf('/api/integrations/webhooks');
    const { receiver, stop } = await startReceiver();
    await page.goto('/dashboard/integrations?tab=webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const form = page.getByRole('dialog', { name: 'Add webhook' });
    await form.getByLabel('URL').fill('http://10.0.0.1/hook');
    await form.getByRole('button', { name: 'Add webhook' }).click();
    await expect(form.getByRole('alert')).toContainText('This URL leads to a private or reserved address.');
    await form.getByLabel('URL').fill(receiver.url);
    await form.getByRole('button', { name: 'Add webhook' }).click();
    await expect(form.locator('code')).toHaveText(/^whsec_/);
    await form.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('link', { name: receiver.url }).click();
    await drawer(page).getByRole('button', { name: 'Send test event' }).click();
    await drawer(page)
      .getByText(/HTTP 500/)
      .click();
    await expect(drawer(page).getByText('The database is down.')).toBeVisible();
    receiver.isBroken = false;
    await drawer(page).getByRole('button', { name: 'Send again' }).click();
    await expect(drawer(page).getByText('Delivered', { exact: true })).toBeVisible({ timeout: 30_000 });

    await switchMaintenance(page, true);
    await switchMaintenance(page, false);
    await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(4);
    await drawer(page).getByRole('button', { name: 'Back to deliveries' }).click();
    await drawer(page)
      .getByRole('link', { name: /maintenance\.changed/ })
      .last()
      .click();
    const before = receiver.received.length;
    await drawer(page).getByRole('button', { name: 'Replay from here' }).click();
    await page
      .getByRole('dialog', { name: 'Replay events' })
      .getByRole('button', { name: 'Replay', exact: true })
      .click();
    await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(before + 2);
    const replayed = receiver.received.slice(before);
    expect(replayed.map(({ headers }) => headers['webhook-id'])).toEqual(
      receiver.received.slice(before - 2, before).map(({ headers }) => headers['webhook-id']),
    );
    for (const { headers, body } of replayed) {
      expect(headers['webhook-signature']).toMatch(/^v1,/);
      expect(JSON.parse(body)).toMatchObject({ type: 'maintenance.changed' });
    }
    await drawer(page).getByRole('button', { name: 'Back to deliveries' }).click();
    await drawer(page).getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog', { name: 'Remove webhook' }).getByRole('button', { name: 'Remove' }).click();
    await expect(page.getByText('No webhooks yet.')).toBeVisible();
    stop();
  },
);
