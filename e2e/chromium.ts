import { existsSync } from 'node:fs';

/** Debian's packages: the shell has no window to draw and is a third faster, the browser does as well. */
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((file) => existsSync(file));

/** Quiet: it asks nobody for updates and needs no graphics card. */
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
