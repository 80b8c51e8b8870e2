import { expect, test } from 'vitest';
import { destination, loginHref, wantedFrom, wanting } from './wanted.ts';

test('Login returns to the requested page with its query string', () => {
  const href = loginHref('/dashboard/tickets?status=open&search=refund');
  expect(href).toBe('/login?wanted=%2Fdashboard%2Ftickets%3Fstatus%3Dopen%26search%3Drefund');
  expect(destination(wantedFrom(href.slice('/login'.length)))).toBe('/dashboard/tickets?status=open&search=refund');
});

test('Login leads to the dashboard if no page was requested', () => {
  expect(loginHref('/dashboard')).toBe('/login');
  expect(destination(wantedFrom(''))).toBe('/dashboard');
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
    expect(wanting(href)).toEqual({});
    expect(destination(wantedFrom(`?wanted=${encodeURIComponent(href)}`))).toBe('/dashboard');
  }
});
