import { expect } from 'vitest';
import { type Locator, page, userEvent } from 'vitest/browser';
import { loggedAt } from './watch.ts';

/** An alert that can be closed is a toast; the others are part of the page. */
export const anyToast = (): Locator =>
  page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Close notification' }) });

export const toast = (message: string): Locator => anyToast().filter({ has: page.getByText(message, { exact: true }) });

/** A failure that is reported again replaces its older toast; while that one fades out there are two. */
export const retryIn = (message: string) => toast(message).last().getByRole('button', { name: 'Retry' }).click();

export const main = () => page.getByRole('main');

export const dialog = () => page.getByRole('dialog');

export const button = (name: string) => page.getByRole('button', { name, exact: true });

export const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** The specification requires failures to be logged; the panel logs them as warnings and reports them. */
export const expectWarning = (message: string) =>
  expect.poll(() => loggedAt('warn')).toSatisfy((lines: string[]) => lines.some((line) => line.startsWith(message)));

/** Waits until no such element exists. */
export const expectNone = (locator: Locator) => expect.poll(() => locator.elements()).toHaveLength(0);

/** A disabled button stays focusable, so that keyboard users can read its reason. */
export async function expectDisabledBecause(disabled: Locator, reason: string) {
  await expect.element(disabled).toHaveAttribute('aria-disabled', 'true');
  disabled.element().focus();
  await expect.poll(() => visibleHintOf(disabled.element())).toBe(reason);
}

/** The pointer may rest on another button and show the hint of that one too. */
const visibleHintOf = (element: Element) =>
  element.closest('.hint-anchor')?.querySelector('[role="tooltip"]:popover-open')?.textContent;

/** Tries every way to close the modal. */
export async function tryToLeave() {
  await userEvent.keyboard('{Escape}');
  await userEvent.click(document.body, { position: { x: 4, y: 4 }, force: true });
  for (const name of ['Close', 'Cancel']) {
    await dialog().getByRole('button', { name, exact: true }).click({ force: true });
  }
}
