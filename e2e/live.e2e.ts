import type { Page } from '@playwright/test';
import { demoSignIn, expect, fillLogin, test } from './fixtures.ts';
import { addTicket, callApi, freshName, temporaryPassword, toast } from './page-helpers.ts';
import { inGateOnce, onceOnly } from './tags.ts';

const withinMs = 1_000;

type Sight = { what: string; in: string; text: string; gone?: boolean };

/** Resolves to the time at which the page shows the change, by the clock that both browsers share. */
function seenAt(page: Page, { in: selector, text, gone = false }: Sight) {
  return page.evaluate(
    ({ within, expected, absent }) =>
      new Promise<number>((resolve) => {
        const observer = new MutationObserver(() => look());
        const look = () => {
          const shown = document.querySelector(within)?.textContent.includes(expected) ?? false;
          if (shown === absent) return;
          observer.disconnect();
          resolve(Date.now());
        };
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        look();
      }),
    { within: selector, expected: text, absent: gone },
  );
}

/**
 * Expects that the page shows the change soon after the other browser got its response: the duration of the change
 * itself does not count.
 */
async function expectSoon(page: Page, sight: Sight, change: () => Promise<{ status: number; answeredAt: number }>) {
  const seen = seenAt(page, sight);
  const { status, answeredAt } = await change();
  expect(status).toBe(200);
  const ms = Math.max(0, (await seen) - answeredAt);
  console.log(`      ${sight.what}: seen in the other browser after ${ms} ms`);
  expect(ms, sight.what).toBeLessThan(withinMs);
}

/** Opens an address and waits until its stream of live updates is open. */
async function following(page: Page, address: string) {
  const stream = page.waitForResponse('**/api/events');
  await page.goto(address);
  expect((await stream).status()).toBe(200);
  await expect(page.getByRole('row').nth(1)).toBeVisible();
}

test(
  'a reply, a status and a new ticket reach a browser at the other server process',
  onceOnly,
  async ({ page, visit, environment }) => {
    const colleague = await visit({ as: 'amara.osei', server: 'second' });
    expect(environment.first).not.toBe(environment.second);
    await following(page, '/dashboard/tickets');
    await following(colleague, '/dashboard/tickets');

    const type = freshName('crossing');
    const body = { type, description: 'Written by a test.' };
    let id = '';
    await expectSoon(colleague, { what: 'a new ticket', in: 'tbody', text: type }, async () => {
      const answer = await callApi(page, 'POST', { path: '/api/tickets', body });
      ({ id } = answer.json as { id: string });
      return answer;
    });

    await colleague.getByRole('link', { name: `View ticket: ${type}` }).click();
    await expect(colleague.getByRole('dialog').getByText('No replies yet.')).toBeVisible();
    const message = 'Said at the first process.';
    await expectSoon(colleague, { what: 'a reply', in: '.ticket-replies', text: message }, () =>
      callApi(page, 'POST', { path: `/api/tickets/${id}/reply`, body: { message } }),
    );
    await expectSoon(colleague, { what: 'a status', in: `tr[data-row="${id}"]`, text: 'rejected' }, () =>
      callApi(page, 'PATCH', { path: `/api/tickets/${id}/status`, body: { status: 'rejected' } }),
    );
    await expect(colleague.getByRole('dialog').getByLabel('Status')).toHaveValue('rejected');
  },
);

test(
  'a new and a deleted administrator reach a browser at the other server process',
  onceOnly,
  async ({ page, visit }) => {
    const colleague = await visit({ as: 'tomasz.lind', server: 'second' });
    await following(page, '/dashboard/admin');
    await following(colleague, '/dashboard/admin');
    const username = freshName('crossing');
    const account = { username, password: temporaryPassword, confirmPassword: temporaryPassword, role: 'Admin' };
    await expectSoon(colleague, { what: 'a new administrator', in: 'tbody', text: username }, () =>
      callApi(page, 'POST', { path: '/api/admin/signup', body: account }),
    );
    await expectSoon(colleague, { what: 'a deleted administrator', in: 'tbody', text: username, gone: true }, () =>
      callApi(page, 'POST', { path: '/api/admin/delete', body: { username } }),
    );
  },
);

test(
  'a session started at one process is valid at the other, and ends at both',
  inGateOnce,
  async ({ visitor, environment, watch }) => {
    watch.toleratesFailureOf('/api/');
    await visitor.goto('/login');
    await fillLogin(visitor, demoSignIn);
    await expect(visitor).toHaveURL('/dashboard');
    const headers = { authorization: `Bearer ${await visitor.evaluate(() => localStorage.getItem('token'))}` };
    const processes = [environment.first, environment.second];
    const ask = async () => {
      const answers = await Promise.all(processes.map((one) => visitor.request.get(`${one}/api/auth/me`, { headers })));
      return answers.map((answer) => answer.status());
    };
    expect(await ask()).toEqual([200, 200]);
    await visitor.request.post(`${environment.second}/api/auth/logout`, { headers });
    expect(await ask()).toEqual([401, 401]);
  },
);

test(
  'two administrators press Close Ticket at the same time: one takes effect, the other is informed',
  onceOnly,
  async ({ page, visit }) => {
    const colleague = await visit({ as: 'amara.osei', server: 'second' });
    await page.goto('/dashboard');
    const id = await addTicket(page, { type: freshName('both') });
    const pages = [page, colleague];
    for (const one of pages) {
      await one.goto(`/dashboard/tickets?ticket=${id}`);
      await expect(one.getByRole('dialog').getByText('No replies yet.')).toBeVisible();
    }
    // Both calls are sent before either browser can see the other's change.
    const answers = pages.map((one) => one.waitForResponse(`**/api/tickets/${id}/status`));
    const bothPressed = holdUntilBoth(pages, `**/api/tickets/${id}/status`);
    await Promise.all(pages.map((one) => one.getByRole('button', { name: 'Close Ticket' }).click()));
    await bothPressed;
    expect((await Promise.all(answers)).map((answer) => answer.status())).toEqual([200, 200]);
    const counts = await Promise.all(pages.map((one) => toastCount(one)));
    expect(counts.toSorted(ascending)).toEqual([0, 1]);
    for (const one of pages) await expect(one.getByRole('dialog').getByLabel('Status')).toHaveValue('closed');
  },
);

const ascending = (a: number, b: number) => a - b;

async function toastCount(page: Page) {
  const message = toast(page, 'This ticket has that status already.');
  await message.waitFor({ timeout: 2_000 }).catch(() => undefined);
  return message.count();
}

async function holdUntilBoth(pages: Page[], address: string) {
  let waiting = pages.length;
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const page of pages) {
    await page.route(address, async (route) => {
      waiting -= 1;
      if (waiting === 0) resolve();
      await promise;
      await route.continue();
    });
  }
  return promise;
}
