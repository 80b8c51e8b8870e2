import type { Endpoint } from 'contract/core/endpoint.ts';
import type { Page } from 'contract/core/paging.ts';
import { z } from 'zod';

/** Whether an endpoint answers one page of a list. */
export const answersPage = ({ answer }: Endpoint) => answer instanceof z.ZodObject && 'nextCursor' in answer.shape;

/**
 * What a client that does not know our cursors learns about a page: how many rows there are, and where the next and
 * the previous ones are (RFC 8288). Addresses are relative to the one that was called, because only a proxy knows the
 * host that the client sees.
 */
export function pageHeaders(url: string, { nextCursor, previousCursor, total }: Page): Record<string, string> {
  const links = [
    ...(nextCursor === null ? [] : [`<${withCursor(url, nextCursor)}>; rel="next"`]),
    ...(previousCursor === null ? [] : [`<${withCursor(url, previousCursor)}>; rel="prev"`]),
  ];
  return {
    ...(links.length > 0 && { link: links.join(', ') }),
    // A count that stopped early is no total.
    ...(!total.capped && { 'x-total-count': String(total.count) }),
  };
}

function withCursor(url: string, cursor: string) {
  // A query may hold further question marks.
  const [path = '', ...query] = url.split('?');
  const asked = new URLSearchParams(query.join('?'));
  asked.set('cursor', cursor);
  return `${path}?${asked.toString()}`;
}
