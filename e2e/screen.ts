import type { Page } from '@playwright/test';
import { settled } from './accessible.ts';

/** One picture: where it is taken and what is done there first. */
export type Screen = {
  name: string;
  address: string;
  signedIn?: 'admin' | 'newcomer';
  /** Stands for its screen: the commit gate opens one screen of each. */
  isScreen?: true;
  /** Looks different only on narrow screens. */
  onlyUnder?: number;
  /** The README shows it in this look and by this name. */
  readme?: { theme: 'light' | 'dark'; width: number; name: string };
  arrange?: (page: Page) => Promise<unknown>;
};

export const pressed = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();

/** Goes to a screen and waits until everything has come. */
export async function openScreen(page: Page, { address, arrange }: Screen) {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await arrange?.(page);
  await settled(page);
}
