import type { Page } from '@playwright/test';

/** One picture: where it is taken and what is done there first. */
export type Scene = {
  name: string;
  address: string;
  signedIn?: 'admin' | 'newcomer';
  /** Looks different only on narrow screens. */
  onlyUnder?: number;
  /** The README shows it in this look and by this name. */
  readme?: { theme: 'light' | 'dark'; width: number; name: string };
  arrange?: (page: Page) => Promise<unknown>;
};

export const pressed = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();
