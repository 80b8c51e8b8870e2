import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { type Ticket, TicketStatus } from 'contract/tickets.ts';
import { type ReactNode, useState } from 'react';
import { ListTable, statusFilter } from '#panel/domain/list-table.tsx';
import { useMe } from '#panel/shell/me.ts';
import { useDetailRoute } from '#panel/domain/detail-route.ts';
import { Button } from '#panel/ui/button.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { formatTotal } from '#panel/ui/table/view.ts';
import { ticketsQuery, totalQuery } from './api.ts';
import { ticketColumns } from './columns.tsx';
import { NewTicketModal } from './new-ticket.tsx';
import { TicketModal } from './ticket-modal.tsx';
import { TicketStatus as StatusMark } from './ticket-status.tsx';
import './tickets.css';

const route = getRouteApi('/dashboard/tickets');
const noun = { one: 'ticket', many: 'tickets' };

export function TicketsPage() {
  const [writing, setWriting] = useState(false);
  const denied = holds(useMe(), 'tickets.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const total = useTotal();
  const newTicket = (
    <Button disabledReason={denied} onClick={() => setWriting(true)}>
      New Ticket
    </Button>
  );
  return (
    <PageFrame title="Support Tickets" now={total ? formatTotal(total, noun) : ''} action={newTicket}>
      <TicketTable newTicket={newTicket} />
      <NewTicketModal opened={writing} onClose={() => setWriting(false)} />
    </PageFrame>
  );
}

/** Returns the unfiltered total for the heading, because a filtered list counts only its matches. */
function useTotal() {
  const queryClient = useQueryClient();
  const search = route.useSearch();
  const narrowed = search.status !== undefined || search.search !== undefined;
  const all = useQuery({
    ...totalQuery,
    enabled: narrowed,
    placeholderData: () => queryClient.getQueryData(ticketsQuery({}).queryKey),
  });
  const { data, isPlaceholderData } = useQuery(ticketsQuery(search));
  return narrowed || isPlaceholderData ? all.data?.total : data?.total;
}

function TicketTable({ newTicket }: { newTicket: ReactNode }) {
  const search = route.useSearch();
  const query = useQuery(ticketsQuery(search));
  const { open, close } = useDetailRoute('ticket', search.ticket);
  return (
    <>
      <ListTable
        label="Tickets"
        noun={noun}
        columns={ticketColumns}
        query={query}
        rows={({ tickets }) => tickets}
        failed="Failed to fetch tickets"
        signature={ticketSignature}
        view={search}
        defaultSort="-createdAt"
        open={open}
        searchLabel="Search tickets"
        filters={[statusFilter(search.status, { options: TicketStatus.options, Mark: StatusMark })]}
        empty={{
          title: 'No tickets yet.',
          narrowedTitle: 'No results found.',
          line: 'Tickets appear here as soon as they are submitted.',
          action: newTicket,
        }}
      />
      <TicketModal
        id={search.ticket}
        known={query.data?.tickets.find(({ id }) => id === search.ticket)}
        onClose={close}
      />
    </>
  );
}

const ticketSignature = ({ type, status, response }: Ticket) => JSON.stringify([type, status, response]);
