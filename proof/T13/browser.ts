import type { BrowserContext, Page } from '@playwright/test';
import { reportPolicyViolations } from '../../e2e/watch.ts';
import { marker } from './payloads.ts';

/** What happened in the pages of a browser that must not happen. */
export type Incidents = { executions: string[]; violations: string[]; elements: string[] };

/** Watches all pages of a context: payloads that execute, and violations of the content security policy. */
export async function watchContext(context: BrowserContext, incidents: Incidents) {
  await context.addInitScript(reportPolicyViolations);
  await context.addInitScript((name) => {
    Object.assign(window, { [name]: (no: number) => console.error(`The payload ${no} was executed.`) });
  }, marker);
  context.on('console', (message) => {
    const text = `${message.text()} at ${message.page()?.url()}`;
    if (/^The payload \d+ was executed/.test(text)) incidents.executions.push(text);
    if (text.startsWith('The content policy forbids') || /Trusted ?Type|Content Security Policy/.test(text)) {
      incidents.violations.push(text);
    }
  });
  context.on('dialog', (dialog) => {
    incidents.executions.push(`A dialog was opened: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
}

/** Returns the numbers of the payloads that the page shows as text, and elements that only a payload can have made. */
export const inspect = (page: Page) =>
  page.evaluate((name) => {
    const elements = [...document.querySelectorAll('*')];
    const fields = elements.map((one) =>
      one instanceof HTMLInputElement || one instanceof HTMLTextAreaElement ? one.value : '',
    );
    const shown = [document.body.textContent, ...fields].join('\n');
    const addresses = ['href', 'src', 'action', 'formaction', 'data', 'xlink:href'];
    const isDangerous = (one: Element) =>
      one.getAttributeNames().some((attribute) => {
        const value = one.getAttribute(attribute) ?? '';
        if (attribute.startsWith('on') || attribute === 'srcdoc') return true;
        // Browsers ignore control characters and blanks in front of the scheme.
        const address = value.replaceAll(/[\s\p{Cc}]/gu, '').toLowerCase();
        return addresses.includes(attribute) && /^(javascript|vbscript|data:text)/.test(address);
      });
    return {
      shown: [...shown.matchAll(new RegExp(`${name}\\((\\d+)\\)`, 'g'))].map((found) => Number(found[1])),
      dangerous: elements.filter(isDangerous).map((one) => one.outerHTML.slice(0, 300)),
    };
  }, marker);
