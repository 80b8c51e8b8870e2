import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { signInNewcomer } from './newcomer.ts';
import { liftLimits, setLimit } from './owner.ts';
import { approveNewest, callApi, heading, toast } from './page-helpers.ts';
import { inGateOnce } from './tags.ts';

/** Gives the browser an authenticator that verifies its user at once, as a laptop with a fingerprint reader would. */
async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Requests money for the treasury, which needs a second approver. */
async function requestDeposit(page: Page) {
  const body = { id: crypto.randomUUID(), user: null, asset: 'USD', amount: '7.00', reason: 'For a test.' };
  const { json } = await callApi(page, 'POST', { path: '/api/ledger/adjustments', body });
  expect(json).toMatchObject({ state: 'waiting' });
  const list = await callApi(page, 'GET', { path: '/api/approvals?state=waiting&limit=1' });
  return (list.json as { approvals: { id: string }[] }).approvals[0]?.id ?? '';
}

test(
  'a passkey is added, signs in, and signs an approval',
  inGateOnce,
  async ({ page, visit, visitor, environment, watch }) => {
    watch.toleratesFailureOf('/api/');
    // Browsers have no passkeys for the address of a machine, only for names.
    const site = environment.first.replace('127.0.0.1', 'localhost');
    await addAuthenticator(visitor);
    await signInNewcomer(page, visitor, site);
    const colleague = await visit({ as: 'admin' });
    await colleague.goto('/dashboard');
    await approveNewest(colleague, 'account');

    await visitor.goto(`${site}/dashboard/security`);
    await visitor.getByRole('button', { name: 'Add passkey' }).click();
    const form = visitor.getByRole('dialog', { name: 'Add a passkey' });
    await form.getByLabel('Name').fill('Laptop');
    await form.getByRole('button', { name: 'Add passkey' }).click();
    await expect(form.getByRole('listitem')).toHaveCount(10);
    const recovery = (await form.getByRole('listitem').first().textContent()) ?? '';
    await form.getByRole('button', { name: 'Done' }).click();
    await expect(visitor.getByText('Laptop')).toBeVisible();

    await visitor.evaluate(() => localStorage.removeItem('token'));
    await visitor.goto(`${site}/login`);
    await visitor.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await expect(heading(visitor, 'Analytics')).toBeVisible();

    await setLimit(environment, 'alone', 1);
    const approval = await requestDeposit(page);
    const decided = visitor.waitForResponse(
      (response) => response.url().endsWith(`/api/approvals/${approval}/decide`) && response.ok(),
    );
    await visitor.goto(`${site}/dashboard/approvals?approval=${approval}`);
    await visitor.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
    const sent = (await decided).request().postDataJSON() as { assertion?: { signature: string } };
    expect(sent.assertion?.signature).toMatch(/^[\w-]{50,}$/);
    await expect(toast(visitor, 'Approved')).toBeVisible();
    await liftLimits(environment);

    await visitor.goto(`${site}/dashboard/security`);
    await visitor.getByRole('button', { name: 'Remove the passkey Laptop' }).click();
    const removal = visitor.getByRole('dialog', { name: 'Remove the passkey' });
    await removal.getByLabel('Code').fill(recovery);
    await removal.getByRole('button', { name: 'Remove' }).click();
    await expect(toast(visitor, 'Passkey removed')).toBeVisible();
  },
);
