import { expect, test } from 'vitest';
import { leadsHere, mainLinks, oversightLinks, settings } from './navigation.ts';

const highlighted = (pathname: string) =>
  [...mainLinks, settings.link, ...settings.jobs, ...oversightLinks]
    .filter((link) => leadsHere(link, pathname))
    .map(({ label }) => label);

test('each page highlights one link', () => {
  expect(highlighted('/dashboard')).toEqual(['Home']);
  expect(highlighted('/dashboard/')).toEqual(['Home']);
  expect(highlighted('/dashboard/settings')).toEqual(['Settings']);
  expect(highlighted('/dashboard/settings/cronjobs/rank-promo')).toEqual(['Rank Promo']);
  expect(highlighted('/dashboard/runs/42')).toEqual(['Runs']);
});

test('a profile highlights the list that it belongs to', () => {
  expect(highlighted('/dashboard/user-profile/7')).toEqual(['Users']);
  expect(highlighted('/dashboard/admin-profile/7')).toEqual(['Admin']);
});
