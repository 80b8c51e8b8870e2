import type { Page } from '@playwright/test';

export type Watch = {
  /** Declares that the test provokes a failure of this call. The failure must happen. */
  expectFailureOf: (address: string) => void;
  /** Allows a failure of this call that depends on timing. */
  toleratesFailureOf: (address: string) => void;
  follow: (page: Page) => void;
  complaints: () => string[];
};

/** Collects all errors of a browser, whether or not the page shows them. */
export function startWatch(): Watch {
  const errors: string[] = [];
  const expected: string[] = [];
  const tolerated: string[] = [];
  return {
    expectFailureOf: (address) => expected.push(address),
    toleratesFailureOf: (address) => tolerated.push(address),
    follow: (page) => listen(page, errors),
    complaints() {
      const known = [...expected, ...tolerated];
      const unexpected = errors.filter((one) => !known.some((address) => one.includes(address)));
      const missing = expected.filter((address) => !errors.some((one) => one.includes(address)));
      return [...unexpected, ...missing.map((address) => `expected to fail, but did not: ${address}`)];
    },
  };
}

/** Runs in the page. Logs violations of the content security policy as console errors. */
export function reportPolicyViolations() {
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
    console.error(`The content policy forbids ${violatedDirective}: ${blockedURI} ${sample}`);
  });
}

function listen(page: Page, errors: string[]) {
  page.on('pageerror', (error) => errors.push(`page error: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // A page that is left aborts its open requests.
    if (reason !== 'net::ERR_ABORTED') errors.push(`failed: ${request.method()} ${request.url()} ${reason}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) errors.push(`answered ${response.status()}: ${response.url()}`);
  });
}
