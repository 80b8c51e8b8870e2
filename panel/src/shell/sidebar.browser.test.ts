import { expect, onTestFinished, test } from 'vitest';
import { page } from 'vitest/browser';
import { visitSignedIn } from '#panel/testing/app.ts';
import { contrastIn } from '#panel/testing/pixels.ts';
import { heading } from '#panel/testing/screen.ts';
import { answerTickets } from '#panel/testing/ticket-answers.ts';

const links = () => page.getByRole('navigation', { name: 'Main' });

/** Opens a window so low that the links of the sidebar do not fit. */
async function openLowWindow() {
  await page.viewport(1_440, 420);
  onTestFinished(() => page.viewport(1_440, 900));
  answerTickets([]);
  visitSignedIn('/dashboard/tickets');
  await expect.element(heading('Support Tickets')).toBeVisible();
  const list = links().element();
  expect(list.scrollHeight).toBeGreaterThan(list.clientHeight);
  return list;
}

/** Scrolls until an edge of the list cuts through the middle of a link, and returns the contrast along that edge. */
function contrastAtEdge(list: Element, edge: 'top' | 'bottom') {
  const link = [...list.querySelectorAll('a')].at(edge === 'top' ? 3 : -3) ?? list;
  const { top, height } = link.getBoundingClientRect();
  list.scrollTop += top + height / 2 - list.getBoundingClientRect()[edge];
  const { clientWidth, clientHeight } = list;
  return contrastIn(list, { left: 16, top: edge === 'top' ? 0 : clientHeight - 3, width: clientWidth - 48, height: 3 });
}

test('links that do not fit fade out at the edges of the sidebar', async () => {
  const list = await openLowWindow();
  expect(await contrastAtEdge(list, 'bottom')).toBeLessThan(24);
  expect(await contrastAtEdge(list, 'top')).toBeLessThan(60);
});

/** The contrast beside the links, where only the background and the shade of the edge are drawn. */
const besideLinks = (list: Element, edge: 'top' | 'bottom') =>
  contrastIn(list, {
    left: 1,
    top: edge === 'top' ? 0 : list.clientHeight - 24,
    width: 8,
    height: edge === 'top' ? 12 : 24,
  });

test('an edge of the sidebar is shaded as long as there are links beyond it', async () => {
  const list = await openLowWindow();
  expect(await besideLinks(list, 'top')).toBe(0);
  expect(await besideLinks(list, 'bottom')).toBeGreaterThan(12);
  list.scrollTop = list.scrollHeight;
  expect(await besideLinks(list, 'top')).toBeGreaterThan(12);
  expect(await besideLinks(list, 'bottom')).toBe(0);
});

test('the first and the last link of the sidebar are clear of the shaded edges', async () => {
  const list = await openLowWindow();
  const [first, last] = [...list.querySelectorAll('a')].filter((_, index, all) => index % (all.length - 1) === 0);
  const edges = list.getBoundingClientRect();
  expect(first?.getBoundingClientRect().top).toBeGreaterThanOrEqual(edges.top + 12);
  list.scrollTop = list.scrollHeight;
  expect(last?.getBoundingClientRect().bottom).toBeLessThanOrEqual(edges.bottom - 24);
});
