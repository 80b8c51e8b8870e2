import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type Answer, anyCallRefusals } from 'contract/endpoint.ts';
import { holds } from 'contract/permissions.ts';
import { type listTickets, type Ticket, TicketStatus } from 'contract/tickets.ts';
import { type ReactNode, useRef, useState } from 'react';
import type { Failure } from '#panel/shell/call.ts';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { EmptyState, ErrorState } from '#panel/ui/states.tsx';
import { DataTable } from '#panel/ui/table/data-table.tsx';
import { type ChangeView, sayTotal } from '#panel/ui/table/view.ts';
import { useToldFailure } from '#panel/ui/told-failure.ts';
import { ticketsQuery, totalQuery } from './api.ts';
import { ticketColumns } from './columns.tsx';
import { NewTicketModal } from './new-ticket.tsx';
import { ticketsSearch } from './search.ts';
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
    <PageFrame title="Support Tickets" now={total ? sayTotal(total, noun) : ''} action={newTicket}>
      <TicketTable newTicket={newTicket} />
      <NewTicketModal opened={writing} onClose={() => setWriting(false)} />
    </PageFrame>
  );
}

/** A narrowed list counts what it found; the headline counts every ticket. */
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
  const change = useChangeView();
  const query = useQuery(ticketsQuery(search));
  const { open, close } = useOpenTicket(search.ticket);
  useToldFailure('Failed to fetch tickets', query);
  const narrowed = search.status !== undefined || search.search !== undefined;
  return (
    <>
      <DataTable
        label="Tickets"
        noun={noun}
        columns={ticketColumns}
        listing={listingOf(query, change)}
        rowId={ticketId}
        signature={ticketSignature}
        view={search}
        change={change}
        defaultSort="-createdAt"
        sortedBy="server"
        open={({ id }) => open(id)}
        search={{ label: 'Search tickets', from: 3 }}
        filters={[{ key: 'status', label: 'Status', value: search.status, choices: statusChoices }]}
        empty={
          narrowed ? (
            <EmptyState
              title="No results found."
              line="No ticket matches this search and filter."
              action={<Clear change={change} />}
            />
          ) : (
            <EmptyState
              title="No tickets yet."
              line="Tickets appear here as soon as they are submitted."
              action={newTicket}
            />
          )
        }
      />
      <TicketModal
        id={search.ticket}
        known={query.data?.tickets.find(({ id }) => id === search.ticket)}
        onClose={close}
      />
    </>
  );
}

const ticketId = ({ id }: Ticket) => id;
const ticketSignature = ({ type, status, response }: Ticket) => JSON.stringify([type, status, response]);
const statusChoices = TicketStatus.options.map((status) => ({
  value: status,
  label: status,
  mark: <StatusMark status={status} />,
}));

function Clear({ change }: { change: ChangeView }) {
  return (
    <Button variant="default" onClick={() => change({ search: undefined, status: undefined, cursor: undefined })}>
      Clear search and filter
    </Button>
  );
}

function useChangeView(): ChangeView {
  const navigate = route.useNavigate();
  return (change, { replace } = { replace: false }) =>
    void navigate({ search: (before) => ticketsSearch.parse({ ...before, ...change }), replace, resetScroll: false });
}

/** Closing goes back to the list as it was left; a ticket opened by its own address has no list before it. */
function useOpenTicket(shown: string | undefined) {
  const navigate = route.useNavigate();
  const router = useRouter();
  const openedHere = useRef<string>(undefined);
  const open = (ticket: string) => {
    openedHere.current = ticket;
    void navigate({ search: (before) => ({ ...before, ticket }), resetScroll: false });
  };
  const close = () => {
    if (shown !== undefined && openedHere.current === shown) router.history.back();
    else void navigate({ search: (before) => ({ ...before, ticket: undefined }), replace: true, resetScroll: false });
    openedHere.current = undefined;
  };
  return { open, close };
}

type TicketsQuery = UseQueryResult<Answer<typeof listTickets>, Failure<typeof listTickets>>;

function listingOf({ data, error, isPlaceholderData, isFetching, refetch }: TicketsQuery, change: ChangeView) {
  const lostPage = error?.code === 'InvalidCursor';
  const retry = lostPage ? () => change({ cursor: undefined }) : () => void refetch();
  return {
    rows: data?.tickets,
    total: data?.total,
    pages: data,
    stale: isPlaceholderData,
    failure: error && !data && (
      <ErrorState
        title="Failed to fetch tickets"
        words={error.words}
        reference={error.reference}
        retrying={isFetching}
        onRetry={retry}
      />
    ),
  };
}
