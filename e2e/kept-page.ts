import type { Page } from '@playwright/test';

export type KeptPage = {
  /** Returns the kept page, or one that `create` opens if there is none. */
  open: (create: () => Promise<Page>) => Promise<Page>;
  /** Resets the page to its initial state for the next test. */
  reset: (theme: 'light' | 'dark') => Promise<void>;
  close: () => Promise<void>;
};

const eventsOfTests = ['request', 'response', 'requestfailed', 'console', 'pageerror', 'dialog', 'download'] as const;

/** Keeps one page for all tests of a worker: a new browser context takes longer than most tests. */
export function keepPage(): KeptPage {
  let kept: Page | undefined;
  let size: ReturnType<Page['viewportSize']> = null;

  async function close() {
    await kept?.context().close();
  }

  async function reset(theme: string) {
    if (!kept) return;
    const page = kept;
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().unrouteAll({ behavior: 'ignoreErrors' });
    for (const other of page.context().pages()) if (other !== page) await other.close();
    if (page.url().startsWith('http')) await page.evaluate(forgetStorage, theme);
    await page.goto('about:blank');
    // Last, so that errors at the very end of a test are still reported.
    for (const event of eventsOfTests) page.removeAllListeners(event);
    if (size) await page.setViewportSize(size);
  }

  async function open(create: () => Promise<Page>) {
    kept ??= await create();
    size ??= kept.viewportSize();
    return kept;
  }

  return { open, reset, close };
}

/** Runs in the page. Clears the storage except for the session. */
function forgetStorage(theme: string) {
  const token = localStorage.getItem('token');
  localStorage.clear();
  sessionStorage.clear();
  if (token !== null) localStorage.setItem('token', token);
  localStorage.setItem('theme', theme);
}
