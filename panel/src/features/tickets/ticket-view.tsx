import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { type Ticket, TicketStatus } from 'contract/tickets.ts';
import { Trail } from '#panel/domain/trail.tsx';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { ticketQuery, useSetStatus } from './api.ts';
import { LinkedText } from './linked-text.tsx';
import { Replies } from './replies.tsx';
import { ReplyBox } from './reply-box.tsx';

const failed = 'Failed to fetch ticket details';

type Shown = { id: string; known: Ticket | undefined };

export function TicketView({ id, known }: Shown) {
  const query = useQuery(ticketQuery(id));
  const { data, isLoadingError } = query;
  useReportedFailure(failed, query, { shownInline: isLoadingError });
  const ticket = data?.ticket ?? known;
  if (isLoadingError) return <LoadError title={failed} query={query} />;
  if (!ticket) return <SkeletonLines lines={6} label="Loading the ticket" />;
  return (
    <div className="ticket">
      <TicketFacts ticket={ticket} userUuid={data?.userUuid ?? null} />
      <div className="ticket-message" data-opening="">
        <LinkedText>{ticket.description}</LinkedText>
      </div>
      {data ? (
        <Replies ticketId={id} replies={data.replies} />
      ) : (
        <SkeletonLines lines={3} label="Loading the replies" />
      )}
      <ReplyBox key={id} ticketId={id} />
      <Trail feature="tickets" subject={id} />
    </div>
  );
}

function TicketFacts({ ticket, userUuid }: { ticket: Ticket; userUuid: string | null }) {
  const denied = holds(useMe(), 'tickets.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const status = useSetStatus(ticket.id, 'Failed to update ticket status');
  const closing = useSetStatus(ticket.id, 'Failed to close ticket');
  const shown = status.pending ?? closing.pending ?? ticket.status;
  const busy = status.pending !== undefined || closing.pending !== undefined;
  return (
    <div className="ticket-head">
      <dl className="ticket-facts">
        <dt>From</dt>
        <dd>{userUuid === null ? ticket.username : <UserLink id={userUuid} name={ticket.username} />}</dd>
        <dt>Submitted</dt>
        <dd>
          <Timestamp at={ticket.createdAt} />
        </dd>
        <dt>ID</dt>
        <dd>
          <ShortId id={ticket.id} />
        </dd>
      </dl>
      <div className="ticket-actions">
        <NativeSelect
          label="Status"
          data={TicketStatus.options}
          value={shown}
          disabled={busy || denied !== undefined}
          {...(denied && { title: denied })}
          onChange={(event) => status.set(TicketStatus.parse(event.currentTarget.value))}
        />
        <Button
          variant="default"
          loading={closing.pending !== undefined}
          disabledReason={denied ?? (ticket.status === 'closed' ? 'This ticket is closed already.' : undefined)}
          onClick={() => !busy && closing.set('closed')}
        >
          Close Ticket
        </Button>
      </div>
    </div>
  );
}

/** Links to the user's transfers, which explain each amount, to answer questions about money. */
function UserLink({ id, name }: { id: string; name: string }) {
  return (
    <span className="ticket-user">
      <Link to="/dashboard/user-profile/$id" params={{ id }} className="ticket-link">
        {name}
      </Link>
      <Link to="/dashboard/ledger" search={{ user: id }} className="ticket-link">
        View ledger
      </Link>
    </span>
  );
}
