import type { Page } from '@playwright/test';

export type Watch = {
  /** The test provokes a failure of this call: it must happen, or the test proves nothing. */
  expectFailureOf: (address: string) => void;
  /** A failure of this call depends on who is faster, and neither is wrong. */
  toleratesFailureOf: (address: string) => void;
  follow: (page: Page) => void;
  complaints: () => string[];
};

/** Hears everything that goes wrong in a browser, whether or not the page shows it. */
export function startWatch(): Watch {
  const heard: string[] = [];
  const expected: string[] = [];
  const tolerated: string[] = [];
  return {
    expectFailureOf: (address) => expected.push(address),
    toleratesFailureOf: (address) => tolerated.push(address),
    follow: (page) => listen(page, heard),
    complaints() {
      const known = [...expected, ...tolerated];
      const unexpected = heard.filter((one) => !known.some((address) => one.includes(address)));
      const missing = expected.filter((address) => !heard.some((one) => one.includes(address)));
      return [...unexpected, ...missing.map((address) => `expected to fail, but did not: ${address}`)];
    },
  };
}

/** Runs in the page: makes a violation of the content policy an error in its console. */
export function reportPolicyViolations() {
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
    console.error(`The content policy forbids ${violatedDirective}: ${blockedURI} ${sample}`);
  });
}

function listen(page: Page, heard: string[]) {
  page.on('pageerror', (error) => heard.push(`page error: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') heard.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // A page that is left gives up what it was still asking for.
    if (reason !== 'net::ERR_ABORTED') heard.push(`failed: ${request.method()} ${request.url()} ${reason}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) heard.push(`answered ${response.status()}: ${response.url()}`);
  });
}
