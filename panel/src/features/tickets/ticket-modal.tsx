import { useQuery } from '@tanstack/react-query';
import type { Ticket } from 'contract/tickets.ts';
import { lazy, Suspense, useState } from 'react';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';
import { ticketQuery } from './api.ts';

// Fetched when a ticket is first opened: the list is quicker without it.
const TicketView = lazy(async () => ({ default: (await import('./ticket-view.tsx')).TicketView }));

type Props = {
  id: string | undefined;
  /** The row that was opened: shown at once, while the rest is fetched. */
  known: Ticket | undefined;
  onClose: () => void;
};

export function TicketModal({ id, known, onClose }: Props) {
  // The modal leaves over 300 ms and shows its ticket to the end.
  const [last, setLast] = useState(id === undefined ? undefined : { id, known });
  if (id !== undefined && (id !== last?.id || (known && known !== last.known))) setLast({ id, known });
  return (
    <Modal title={last && <TicketTitle {...last} />} opened={id !== undefined} onClose={onClose} size={720}>
      <Suspense fallback={<SkeletonLines lines={6} label="Loading the ticket" />}>
        {last && <TicketView key={last.id} {...last} />}
      </Suspense>
    </Modal>
  );
}

type Shown = { id: string; known: Ticket | undefined };

function TicketTitle({ id, known }: Shown) {
  const { data } = useQuery(ticketQuery(id));
  return data?.ticket.type ?? known?.type ?? 'Ticket';
}
