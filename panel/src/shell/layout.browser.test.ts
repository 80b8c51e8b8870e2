import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { visitSignedIn } from '#panel/testing/app.ts';
import { dialog } from '#panel/testing/screen.ts';
import { answerTickets, ticket } from '#panel/testing/ticket-answers.ts';

test('the top bar stays where it is when a drawer opens on a page that was scrolled', async () => {
  const tickets = Array.from({ length: 40 }, () => ticket());
  answerTickets(tickets);
  visitSignedIn('/dashboard/tickets');
  const last = page.getByRole('row').last().getByRole('link').first();
  await expect.element(last).toBeVisible();
  window.scrollTo(0, document.documentElement.scrollHeight);
  await last.click();
  await expect.element(dialog()).toBeVisible();
  expect(window.scrollY).toBeGreaterThan(0);
  expect(document.querySelector('.top-bar')?.getBoundingClientRect().top).toBe(0);
});
