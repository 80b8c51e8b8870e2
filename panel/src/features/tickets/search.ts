import { Search } from 'contract/core/paging.ts';
import type { TicketSort, TicketStatus } from 'contract/tickets.ts';
import { z } from 'zod';
import { inAddress, oneOf, viewSearch } from '#panel/ui/table/view.ts';

export type TicketsSearch = z.output<typeof ticketsSearch>;
export const ticketsSearch = z.object({
  ...viewSearch,
  search: inAddress(Search),
  sort: oneOf<TicketSort>({
    '-createdAt': true,
    createdAt: true,
    type: true,
    '-type': true,
    username: true,
    '-username': true,
    status: true,
    '-status': true,
  }),
  status: oneOf<TicketStatus>({
    open: true,
    in_progress: true,
    awaiting_user: true,
    resolved: true,
    closed: true,
    rejected: true,
  }),
  /** The ticket that is open over the list. */
  ticket: inAddress(z.uuid()),
});
