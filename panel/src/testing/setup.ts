import { afterEach, beforeEach, expect, vi } from 'vitest';
import { clearBrowser, closePanel } from './app.ts';
import { installFakeServer, resetServer } from './server.ts';
import { installWatch, resetWatch, whatWentWrong } from './watch.ts';

installWatch();
installFakeServer();

// Loads every screen once for all files, so that no test waits for code while its time is measured.
const screens = import.meta.glob(['../**/*.tsx', '!../main.tsx', '!../**/*.test.tsx']);
await Promise.all(Object.values(screens).map((load) => load()));

beforeEach(() => {
  resetWatch();
  resetServer();
  clearBrowser();
});

afterEach(() => {
  closePanel();
  vi.restoreAllMocks();
  expect(whatWentWrong(), 'what went wrong in the page').toEqual([]);
});
