import { keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import {
  createTicket,
  listTickets,
  readTicket,
  replyToTicket,
  setTicketStatus,
  type TicketStatus,
} from 'contract/tickets.ts';
import { asking, doing } from '#panel/shell/query.ts';
import { toastFailure, toastSuccess } from '#panel/ui/toast.ts';
import { tellFailure } from '#panel/ui/told-failure.ts';
import type { TicketsSearch } from './search.ts';

const everyTicketQuery = { queryKey: ['tickets'] } as const;

/** One page; the page before stays on the screen until it has come. */
export const ticketsQuery = ({ cursor, sort, status, search }: TicketsSearch) => ({
  ...asking(listTickets, { querystring: { cursor, sort, status, search } }),
  placeholderData: keepPreviousData,
});

/** How many there are whatever the view is narrowed to: the smallest page carries that figure. */
export const totalQuery = asking(listTickets, { querystring: { limit: 1 } });

export const ticketQuery = (id: string) => asking(readTicket, { params: { id } });

export function useCreateTicket({ onCreated }: { onCreated: () => void }) {
  const queryClient = useQueryClient();
  const creating = useMutation({
    ...doing(createTicket),
    onSuccess: () => {
      toastSuccess('Ticket submitted');
      onCreated();
    },
    onError: (failure, given) => tellFailure('Failed to create ticket', failure, () => creating.mutate(given)),
    onSettled: () => queryClient.invalidateQueries(everyTicketQuery),
  });
  return creating;
}

/** Two buttons set a status, each with its own words for a failure. */
export function useSetStatus(id: string, failed: 'Failed to update ticket status' | 'Failed to close ticket') {
  const queryClient = useQueryClient();
  const setting = useMutation({
    ...doing(setTicketStatus),
    onError: (failure, given) => {
      // Someone else was faster, and what was wanted is so: there is nothing to retry.
      if (failure.code === 'StatusUnchanged') toastFailure(failure.words);
      else tellFailure(failed, failure, () => setting.mutate(given));
    },
    onSettled: () => queryClient.invalidateQueries(everyTicketQuery),
  });
  return {
    pending: setting.isPending ? setting.variables.body.status : undefined,
    set: (status: TicketStatus) => setting.mutate({ params: { id }, body: { status } }),
  };
}

export function useReply(id: string, { onSent }: { onSent: (message: string) => void }) {
  const queryClient = useQueryClient();
  const replying = useMutation({
    ...doing(replyToTicket),
    onSuccess: (_, { body }) => onSent(body.message),
    onError: (failure, given) => tellFailure('Failed to submit reply', failure, () => replying.mutate(given)),
    onSettled: () => queryClient.invalidateQueries(everyTicketQuery),
  });
  return {
    isPending: replying.isPending,
    send: (message: string) => replying.mutate({ params: { id }, body: { message } }),
  };
}
