import { expect, test } from 'vitest';
import { pathAfterSignIn, loginHref, readReturnTo, returnToSearch } from './return-to.ts';

test('Login returns to the requested page with its query string', () => {
  const href = loginHref('/dashboard/tickets?status=open&search=refund');
  expect(href).toBe('/login?returnTo=%2Fdashboard%2Ftickets%3Fstatus%3Dopen%26search%3Drefund');
  expect(pathAfterSignIn(readReturnTo(href.slice('/login'.length)))).toBe(
    '/dashboard/tickets?status=open&search=refund',
  );
});

test('Login leads to the dashboard if no page was requested', () => {
  expect(loginHref('/dashboard')).toBe('/login');
  expect(pathAfterSignIn(readReturnTo(''))).toBe('/dashboard');
});

test('Login redirects only to pages of the dashboard', () => {
  const elsewhere = [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/dashboardx',
    '/dashboard/..//evil.example',
    '/dashboard/%2e%2e/x',
    'javascript:alert(1)',
  ];
  for (const href of elsewhere) {
    expect(returnToSearch(href)).toEqual({});
    expect(pathAfterSignIn(readReturnTo(`?returnTo=${encodeURIComponent(href)}`))).toBe('/dashboard');
  }
});
