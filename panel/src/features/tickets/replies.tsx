import type { Reply } from 'contract/tickets.ts';
import { useMemo } from 'react';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { useChangedRows } from '#panel/ui/table/changed-rows.ts';
import { LinkedText } from './linked-text.tsx';

type Props = { ticketId: string; replies: readonly Reply[] };

export function Replies({ ticketId, replies }: Props) {
  const signatures = useMemo(() => new Map(replies.map(({ id, message }) => [id, message])), [replies]);
  const arrived = useChangedRows(ticketId, signatures);
  return (
    <section className="ticket-replies" aria-labelledby="ticket-replies-title">
      <h3 id="ticket-replies-title" className="ticket-section">
        Replies{replies.length > 0 && <span className="ticket-count">{replies.length}</span>}
      </h3>
      {replies.length === 0 ? (
        <p className="ticket-no-replies">No replies yet.</p>
      ) : (
        <ol className="ticket-thread" aria-live="polite" aria-relevant="additions">
          {replies.map(({ id, sender, message, createdAt }) => (
            <li key={id} className="ticket-message" data-arrived={arrived.has(id) || undefined}>
              <div className="ticket-sender">
                <span className="ticket-sender-name">{sender}</span>
                <Timestamp at={createdAt} />
              </div>
              <LinkedText>{message}</LinkedText>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
