import { expect, test } from 'vitest';
import { pageHeaders } from './page-headers.ts';

const page = { nextCursor: 'c1', previousCursor: null, total: { count: 3, capped: false }, firstRow: 1 };

test('the link to the next page keeps the whole query, even after a second question mark', () => {
  const { link } = pageHeaders('/api/tickets/all?search=why?abc&status=open&limit=2', page);
  expect(link).toBe('</api/tickets/all?search=why%3Fabc&status=open&limit=2&cursor=c1>; rel="next"');
});

test('a URL without a query gets one in the link to the next page', () => {
  expect(pageHeaders('/api/tickets/all', page)['link']).toBe('</api/tickets/all?cursor=c1>; rel="next"');
});
