import type { Ticket } from 'contract/tickets.ts';
import { RowLink } from '#panel/domain/row-link.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { TicketStatus } from './ticket-status.tsx';

const column = columnsOf<Ticket>();

export const ticketColumns = column.columns([
  column.accessor('id', {
    header: 'ID',
    enableSorting: false,
    meta: { width: 150, tight: 134, hidePriority: 4 },
    cell: ({ getValue }) => <ShortId id={getValue()} />,
  }),
  column.accessor('type', {
    header: 'Subject',
    enableHiding: false,
    meta: { width: 190, tight: 120, flex: true },
    cell: ({ getValue }) => <span className="ticket-subject">{getValue()}</span>,
  }),
  column.accessor('username', {
    header: 'Username',
    meta: { width: 136, tight: 110, hidePriority: 2, stackOnMobile: true },
  }),
  column.accessor('status', {
    header: 'Status',
    meta: { width: 156, tight: 128, hidePriority: 1, stackOnMobile: true },
    cell: ({ getValue }) => <TicketStatus status={getValue()} />,
  }),
  column.accessor('createdAt', {
    header: 'Date Submitted',
    sortDescFirst: true,
    meta: { width: 148, tight: 132, hidePriority: 3, stackOnMobile: true },
    cell: ({ getValue }) => <Timestamp at={getValue()} />,
  }),
  column.display({
    id: 'actions',
    header: 'Actions',
    enableHiding: false,
    meta: { width: 88, tight: 68, right: true },
    cell: ({ row }) => <OpenTicket ticket={row.original} />,
  }),
]);

function OpenTicket({ ticket }: { ticket: Ticket }) {
  return (
    <span className="table-actions">
      <RowLink opens="ticket" id={ticket.id} label={`View ticket: ${ticket.type}`} className="table-action">
        View
      </RowLink>
    </span>
  );
}
