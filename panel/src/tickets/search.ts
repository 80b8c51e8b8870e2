import { Search } from 'contract/paging.ts';
import { TicketSort, TicketStatus } from 'contract/tickets.ts';
import { z } from 'zod';
import { inAddress, viewSearch } from '#panel/ui/table/view.ts';

export type TicketsSearch = z.output<typeof ticketsSearch>;
export const ticketsSearch = z.object({
  ...viewSearch,
  search: inAddress(Search),
  sort: inAddress(TicketSort),
  status: inAddress(TicketStatus),
  /** The ticket that stands open over the list. */
  ticket: inAddress(z.uuid()),
});
