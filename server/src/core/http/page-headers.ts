import type { Endpoint } from 'contract/core/endpoint.ts';
import type { Page } from 'contract/core/paging.ts';
import { z } from 'zod';

/** Whether an endpoint returns a page of a list. */
export const answersPage = ({ answer }: Endpoint) => answer instanceof z.ZodObject && 'nextCursor' in answer.shape;

/**
 * Returns headers for clients that do not know our cursors: the total number of rows, and links to the next and the
 * previous page (RFC 8288). The links are relative, because only a proxy knows the host that the client sees.
 */
export function pageHeaders(url: string, { nextCursor, previousCursor, total }: Page): Record<string, string> {
  const links = [
    ...(nextCursor === null ? [] : [`<${withCursor(url, nextCursor)}>; rel="next"`]),
    ...(previousCursor === null ? [] : [`<${withCursor(url, previousCursor)}>; rel="prev"`]),
  ];
  return {
    ...(links.length > 0 && { link: links.join(', ') }),
    // A capped count is not a total.
    ...(!total.capped && { 'x-total-count': String(total.count) }),
  };
}

function withCursor(url: string, cursor: string) {
  // A query may contain more question marks.
  const [path = '', ...query] = url.split('?');
  const params = new URLSearchParams(query.join('?'));
  params.set('cursor', cursor);
  return `${path}?${params.toString()}`;
}
