import { existsSync } from 'node:fs';

/** Debian's packages. The headless shell is a third faster; the full browser works as well. */
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((file) => existsSync(file));

/** No update checks, and no graphics card needed. */
export const chromiumOptions = {
  executablePath: process.env['CHROMIUM'] ?? installed ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};
