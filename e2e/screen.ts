import type { Page } from '@playwright/test';
import { waitUntilIdle } from './accessible.ts';

/** One picture: its address, and what to do there first. */
export type Screen = {
  name: string;
  address: string;
  signedIn?: 'admin' | 'newcomer';
  /** Taken only below this width, where the screen looks different. */
  onlyUnder?: number;
  /** The theme, the width and the name that the README uses. */
  readme?: { theme: 'light' | 'dark'; width: number; name: string };
  arrange?: (page: Page) => Promise<unknown>;
};

export const pressed = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();

/** Opens a screen and waits until everything has loaded. */
export async function openScreen(page: Page, { address, arrange }: Screen) {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await arrange?.(page);
  await waitUntilIdle(page);
}
