import { expect, test } from 'vitest';
import { leadsHere, mainLinks, oversightLinks, settings } from './navigation.ts';

const lit = (pathname: string) =>
  [...mainLinks, settings.link, ...settings.jobs, ...oversightLinks]
    .filter((link) => leadsHere(link, pathname))
    .map(({ label }) => label);

test('each page lights one link', () => {
  expect(lit('/dashboard')).toEqual(['Home']);
  expect(lit('/dashboard/')).toEqual(['Home']);
  expect(lit('/dashboard/settings')).toEqual(['Settings']);
  expect(lit('/dashboard/settings/cronjobs/rank-promo')).toEqual(['Rank Promo']);
  expect(lit('/dashboard/runs/42')).toEqual(['Runs']);
});

test('a profile lights the list that it belongs to', () => {
  expect(lit('/dashboard/user-profile/7')).toEqual(['Users']);
  expect(lit('/dashboard/admin-profile/7')).toEqual(['Admin']);
});
