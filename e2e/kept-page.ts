import type { Page } from '@playwright/test';

export type KeptPage = {
  /** The page that is kept, made by `create` where there is none. */
  open: (create: () => Promise<Page>) => Promise<Page>;
  /** Undoes what a test did to the page, so that the next one finds it as new. */
  reset: (theme: 'light' | 'dark') => Promise<void>;
  close: () => Promise<void>;
};

const eventsOfTests = ['request', 'response', 'requestfailed', 'console', 'pageerror', 'dialog', 'download'] as const;

/** Keeps one page for the tests of a worker: a new browser context costs more than most tests do in it. */
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
    // Last: what goes wrong at the very end of a test is reported by now.
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

/** Runs in the page: only the session stays. */
function forgetStorage(theme: string) {
  const token = localStorage.getItem('token');
  localStorage.clear();
  sessionStorage.clear();
  if (token !== null) localStorage.setItem('token', token);
  localStorage.setItem('theme', theme);
}
