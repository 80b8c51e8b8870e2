import { type Maintenance, maintenanceSeconds, readMaintenance, setMaintenance } from 'contract/maintenance.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { queryClient } from '#panel/shell/query.ts';
import { adminWith, answerFrame, visitSignedIn } from '#panel/testing/app.ts';
import { takeOverClock } from '#panel/testing/clock.ts';
import { heading, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, fault, restore } from '#panel/testing/server.ts';

const theSwitch = () => page.getByRole('switch', { name: 'Maintenance mode' });
const countdown = () => page.getByRole('timer', { name: 'Time left' });
const status = (text: string) => page.getByText(text, { exact: true });

/** A server with a maintenance window; its clock may be ahead of the browser's. */
function answerMaintenance({ clockAheadMs = 0 } = {}) {
  const serverNow = () => new Date(Date.now() + clockAheadMs);
  let window = { active: false, endsAt: null as Date | null, changedBy: null as string | null };
  const read = (): { maintenance: Maintenance } => ({
    maintenance: { ...window, changedAt: window.changedBy ? serverNow() : null, now: serverNow() },
  });
  answer(readMaintenance, read);
  answer(setMaintenance, ({ body: { active } }) => {
    const endsAt = active ? new Date(serverNow().getTime() + maintenanceSeconds * 1_000) : null;
    window = { active, endsAt, changedBy: 'ines.moreau' };
    return read();
  });
}

async function openMaintenance() {
  visitSignedIn('/dashboard/maintenance');
  await expect.element(heading('Maintenance')).toBeVisible();
  await expect.element(theSwitch()).toBeVisible();
}

function secondsShown() {
  const shown = countdown().element().textContent;
  expect(shown).toMatch(/^\d\d:\d\d:\d\d$/);
  const [hours = 0, minutes = 0, seconds = 0] = shown.split(':').map(Number);
  return hours * 3_600 + minutes * 60 + seconds;
}

/** Collects the next texts of the countdown, in order. */
function nextTexts(count: number) {
  const timer = countdown().element();
  return new Promise<string[]>((resolve) => {
    const seen: string[] = [];
    const observer = new MutationObserver(() => {
      seen.push(timer.textContent);
      if (seen.length < count) return;
      observer.disconnect();
      resolve(seen);
    });
    observer.observe(timer, { subtree: true, characterData: true, childList: true });
  });
}

test('the countdown starts at 3600 seconds, drops one per second, and survives a reload', async () => {
  answerFrame();
  answerMaintenance();
  await openMaintenance();
  await theSwitch().click();
  await expect.element(countdown()).toBeVisible();
  expect(secondsShown()).toBeGreaterThanOrEqual(3_598);
  expect(secondsShown()).toBeLessThanOrEqual(3_600);
  const ticks = (await nextTexts(4)).map((text) => Number(text.slice(-2)));
  expect(ticks.slice(1).map((tick, index) => (60 + (ticks[index] ?? 0) - tick) % 60)).toEqual([1, 1, 1]);
  const before = secondsShown();
  await openMaintenance();
  await expect.element(countdown()).toBeVisible();
  expect(secondsShown()).toBeLessThanOrEqual(before);
  expect(secondsShown()).toBeGreaterThan(before - 20);
});

test('the countdown stops at 0', async () => {
  const clock = takeOverClock();
  answerFrame();
  answerMaintenance();
  await openMaintenance();
  await theSwitch().click();
  await expect.element(countdown()).toBeVisible();
  // A pending response would carry the time from before the clock moves.
  await expect.poll(() => queryClient.isFetching()).toBe(0);
  clock.pass(59 * 60_000);
  await expect.poll(secondsShown).toBeLessThanOrEqual(60);
  expect(secondsShown()).toBeGreaterThan(0);
  clock.pass(70_000);
  await expect.element(countdown()).toHaveTextContent('00:00:00');
  clock.pass(600_000);
  await expect.element(countdown()).toHaveTextContent('00:00:00');
});

test('a viewer with a wrong clock sees the correct time left', async () => {
  answerFrame();
  answerMaintenance({ clockAheadMs: -5 * 3_600_000 });
  await openMaintenance();
  await theSwitch().click();
  await expect.element(countdown()).toBeVisible();
  expect(secondsShown()).toBeGreaterThanOrEqual(3_598);
});

test('a role without permission sees the switch disabled with the reason', async () => {
  answerFrame(adminWith('Support'));
  answerMaintenance();
  await openMaintenance();
  await expect.element(theSwitch()).toBeDisabled();
  await expect.element(page.getByText('Your role does not allow this.')).toBeVisible();
});

test('a failed switch returns to its old state and is reported, and Retry switches it', async () => {
  answerFrame();
  answerMaintenance();
  await openMaintenance();
  fault(setMaintenance);
  await theSwitch().click();
  const failed = toast('Maintenance mode was not changed');
  await expect.element(failed).toBeVisible();
  expect(callsTo(setMaintenance)).toEqual([{ body: { active: true } }]);
  await expect.element(theSwitch()).not.toBeChecked();
  await expect.element(status('Running Normally')).toBeVisible();
  restore(setMaintenance);
  await failed.getByRole('button', { name: 'Retry' }).click();
  await expect.element(status('Active (Under Maintenance)')).toBeVisible();
});
