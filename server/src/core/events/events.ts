import type { Feature } from 'contract/core/endpoint.ts';
import { sql } from 'kysely';
import type { Tx } from '#server/core/db/db.ts';

export const channel = 'bursar';

/** Sends a live update to every process and open panel if the transaction commits. */
export async function announce(tx: Tx, event: { feature: Feature; id: string }) {
  await sql`select pg_notify(${channel}, ${JSON.stringify(event)})`.execute(tx);
}
