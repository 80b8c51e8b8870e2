import { afterEach, beforeEach, expect } from 'vitest';
import { clearBrowser, closePanel } from './app.ts';
import { installFakeServer, resetServer } from './server.ts';
import { installWatch, resetWatch, whatWentWrong } from './watch.ts';

installWatch();
installFakeServer();

beforeEach(() => {
  resetWatch();
  resetServer();
  clearBrowser();
});

afterEach(() => {
  closePanel();
  expect(whatWentWrong(), 'what went wrong in the page').toEqual([]);
});
