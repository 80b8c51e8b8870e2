import { useQuery } from '@tanstack/react-query';
import type { Ticket } from 'contract/tickets.ts';
import { lazy, Suspense, useState } from 'react';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';
import { ticketQuery } from './api.ts';

// Loaded when the first ticket is opened, so that the list loads faster.
const TicketView = lazy(async () => ({ default: (await import('./ticket-view.tsx')).TicketView }));

type Props = {
  id: string | undefined;
  /** The row of the list, shown while the rest loads. */
  known: Ticket | undefined;
  onClose: () => void;
};

export function TicketModal({ id, known, onClose }: Props) {
  // The closing animation takes 300 ms and still shows the ticket.
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
