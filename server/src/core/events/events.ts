import type { Feature } from 'contract/core/endpoint.ts';
import { LiveEvent } from 'contract/events.ts';
import { sql } from 'kysely';
import type { Tx } from '#server/core/db/db.ts';

export const channel = 'bursar';

/** Sends a live update to every process and open panel if the transaction commits. */
export async function announce(tx: Tx, event: { feature: Feature; id: string }) {
  await sql`select pg_notify(${channel}, ${JSON.stringify(event)})`.execute(tx);
}

/** Means that everything may have changed. Sent after a reconnect, and in place of a backlog that is too long. */
export const everything: LiveEvent = { feature: 'events', id: null };

/** A process of a newer version may announce an event that this one cannot parse: then anything may have changed. */
export function readEvent(payload: string): LiveEvent {
  try {
    return LiveEvent.parse(JSON.parse(payload));
  } catch {
    return everything;
  }
}
