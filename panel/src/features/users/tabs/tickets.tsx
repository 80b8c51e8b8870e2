import { Link } from '@tanstack/react-router';
import { listTickets, type Ticket } from 'contract/tickets.ts';
import type { User } from 'contract/users.ts';
import { queryFor } from '#panel/shell/query.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { Status } from '#panel/ui/status.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { TabTable } from './tab-table.tsx';
import { ticketTones } from './tones.ts';

const column = columnsOf<Ticket>();

const columns = column.columns([
  column.accessor('type', { header: 'Subject', meta: { width: 180, flex: true } }),
  column.accessor('status', {
    header: 'Status',
    meta: { width: 156, hidePriority: 1, stackOnMobile: true },
    cell: ({ getValue }) => <Status tone={ticketTones[getValue()]}>{getValue()}</Status>,
  }),
  column.accessor('createdAt', {
    header: 'Date Submitted',
    meta: { width: 148, hidePriority: 2, stackOnMobile: true },
    cell: ({ getValue }) => <Timestamp at={getValue()} />,
  }),
  column.display({
    id: 'actions',
    header: 'Actions',
    meta: { width: 88, right: true },
    cell: ({ row }) => <OpenTicket ticket={row.original} />,
  }),
]);

function OpenTicket({ ticket }: { ticket: Ticket }) {
  return (
    <span className="table-actions">
      <Link
        to="/dashboard/tickets"
        search={{ ticket: ticket.id }}
        className="table-action"
        aria-label={`View ticket: ${ticket.type}`}
      >
        View
      </Link>
    </span>
  );
}

const ticketSignature = ({ status, response }: Ticket) => JSON.stringify([status, response]);

export function TicketsTab({ user }: { user: User }) {
  return (
    <TabTable
      label="Tickets of this user"
      noun={{ one: 'ticket', many: 'tickets' }}
      columns={columns}
      pageQuery={(page) => queryFor(listTickets, { querystring: { user: user.id, ...page } })}
      rows={({ tickets }) => tickets}
      signature={ticketSignature}
      nothing={`Tickets of ${user.username} appear here.`}
    />
  );
}
