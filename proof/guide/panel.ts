import { type Browser, chromium, type Locator, type Page } from '@playwright/test';
import { chromiumOptions } from '../../e2e/chromium.ts';
import type { Document } from './document.ts';

/** The development server compiles each screen when it is first opened, and the machine may be busy. */
const patienceMs = 90_000;

export type Panel = Awaited<ReturnType<typeof openPanel>>;

/** Opens the panel in a browser and uses what the guide names. Each step fails if the guide does not print it in bold. */
export async function openPanel(address: string, guide: Document) {
  const bold = (label: string) => guide.bold(label);
  const browser: Browser = await chromium.launch(chromiumOptions);
  const page: Page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(patienceMs);
  await page.goto(address);

  const dialog = (title: string) => page.getByRole('dialog', { name: title, exact: true });
  const press = (name: string, within: Page | Locator = page) =>
    within.getByRole('button', { name: bold(name), exact: true }).click();
  const choose = (name: string, within: Page | Locator = page) =>
    within.getByRole('link', { name: bold(name), exact: true }).click();
  // A required field has an asterisk after its label.
  const fill = (label: string, value: string) => page.getByLabel(new RegExp(`^${bold(label)} ?\\*?$`)).fill(value);
  const see = (text: string, within: Page | Locator = page) =>
    within.getByText(text, { exact: true }).first().waitFor();

  return {
    page,
    dialog,
    press,
    choose,
    fill,
    see,
    seeBold: (text: string, within: Page | Locator = page) => see(bold(text), within),
    /** Opens a screen from the menu. */
    open: (name: string) => choose(name, page.locator('.layout-sidebar')),
    /** Opens a row of a list by a text in its link. */
    openRow: (name: string) => page.getByRole('link', { name: bold(name) }).click(),
    close: () => browser.close(),
  };
}

/** Finds a user by name and opens the profile, as the guide says. */
export async function openProfile({ open, page, fill, choose, see }: Panel, username: string) {
  await open('Users');
  await fill('Search name, ID, wallet or code', username);
  await page.waitForURL(/search=/);
  await see(username);
  await page.locator('tbody tr[data-row]').nth(1).waitFor({ state: 'detached' });
  await choose('View Profile');
  await page.getByRole('heading', { name: 'User Profile' }).waitFor();
}

/** Approves the request of that name. */
export async function approve({ open, openRow, press, dialog }: Panel, request: string) {
  await open('Approvals');
  await openRow(request);
  await press('Approve', dialog('Request'));
  await dialog('Request').waitFor({ state: 'detached' });
}
