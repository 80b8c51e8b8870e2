import { expect, test } from 'vitest';
import { pageHeaders } from './page-headers.ts';

const page = { nextCursor: 'c1', previousCursor: null, total: { count: 3, capped: false }, firstRow: 1 };

test('the next page has every part of the query, also after a second question mark', () => {
  const { link } = pageHeaders('/api/tickets/all?search=why?abc&status=open&limit=2', page);
  expect(link).toBe('</api/tickets/all?search=why%3Fabc&status=open&limit=2&cursor=c1>; rel="next"');
});

test('a list without a query has one in its next page', () => {
  expect(pageHeaders('/api/tickets/all', page)['link']).toBe('</api/tickets/all?cursor=c1>; rel="next"');
});
