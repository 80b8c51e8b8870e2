import { keepPreviousData, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer } from 'contract/core/endpoint.ts';
import {
  createTicket,
  listTickets,
  type Reply,
  readTicket,
  replyToTicket,
  setTicketStatus,
  type Ticket,
  type TicketStatus,
} from 'contract/tickets.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';
import { toastSuccess } from '#panel/ui/toast.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import type { TicketsSearch } from './search.ts';

const everyTicketQuery = { queryKey: ['tickets'] } as const;

/** One page of the list. The previous page stays on the screen while it loads. */
export const ticketsQuery = ({ cursor, sort, status, search }: TicketsSearch) => ({
  ...queryFor(listTickets, { querystring: { cursor, sort, status, search } }),
  placeholderData: keepPreviousData,
});

/** Reads the unfiltered total from the smallest possible page. */
export const totalQuery = queryFor(listTickets, { querystring: { limit: 1 } });

export const ticketQuery = (id: string) => queryFor(readTicket, { params: { id } });

type TicketPage = Answer<typeof listTickets>;

/** Adds a new ticket to the default list. Lists with other orders and filters get it with the next fetch. */
function showCreated(queryClient: QueryClient, ticket: Ticket) {
  queryClient.setQueryData<TicketPage>(ticketsQuery({}).queryKey, (page) => {
    // A live update may have fetched the ticket before the response.
    if (!page || page.tickets.some(({ id }) => id === ticket.id)) return page;
    const { count, capped } = page.total;
    return { ...page, tickets: [ticket, ...page.tickets], total: { count: capped ? count : count + 1, capped } };
  });
}

/** Writes the response into the open ticket and every cached list, before they are refetched. */
function showChanged(queryClient: QueryClient, ticket: Ticket, reply?: Reply) {
  queryClient.setQueriesData<TicketPage>(
    { queryKey: [listTickets.feature, listTickets.url] },
    (page) => page && { ...page, tickets: page.tickets.map((row) => (row.id === ticket.id ? ticket : row)) },
  );
  queryClient.setQueryData(ticketQuery(ticket.id).queryKey, (shown) => {
    if (!shown) return shown;
    const isNew = reply && !shown.replies.some(({ id }) => id === reply.id);
    return { ...shown, ticket, replies: isNew ? [...shown.replies, reply] : shown.replies };
  });
}

/** Not awaited, because the cache already holds the response. */
const fetchAgain = (queryClient: QueryClient) => void queryClient.invalidateQueries(everyTicketQuery);

export function useCreateTicket({ onCreated }: { onCreated: () => void }) {
  const queryClient = useQueryClient();
  const creating = useMutation({
    ...mutationFor(createTicket),
    onSuccess: (ticket) => {
      showCreated(queryClient, ticket);
      toastSuccess('Ticket submitted');
      onCreated();
    },
    onError: (failure, given) => reportFailure('Failed to create ticket', failure, () => creating.mutate(given)),
    onSettled: () => fetchAgain(queryClient),
  });
  return creating;
}

/** Sets a status. Two controls use it, each with its own error text. */
export function useSetStatus(id: string, failed: 'Failed to update ticket status' | 'Failed to close ticket') {
  const queryClient = useQueryClient();
  const setting = useMutation({
    ...mutationFor(setTicketStatus),
    onSuccess: ({ ticket, changed }) => {
      showChanged(queryClient, ticket);
      // Someone else already set this status, and the administrator should know that this click changed nothing.
      if (!changed) toastSuccess('This ticket has that status already.');
    },
    onError: (failure, given) => reportFailure(failed, failure, () => setting.mutate(given)),
    onSettled: () => fetchAgain(queryClient),
  });
  return {
    pending: setting.isPending ? setting.variables.body.status : undefined,
    set: (status: TicketStatus) => setting.mutate({ params: { id }, body: { status } }),
  };
}

export function useReply(id: string, { onSent }: { onSent: (message: string) => void }) {
  const queryClient = useQueryClient();
  const replying = useMutation({
    ...mutationFor(replyToTicket),
    onSuccess: ({ ticket, reply }, { body }) => {
      showChanged(queryClient, ticket, reply);
      onSent(body.message);
    },
    onError: (failure, given) => reportFailure('Failed to submit reply', failure, () => replying.mutate(given)),
    onSettled: () => fetchAgain(queryClient),
  });
  return {
    isPending: replying.isPending,
    send: (message: string) => replying.mutate({ params: { id }, body: { message } }),
  };
}
