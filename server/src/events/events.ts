import type { Room } from 'contract/endpoint.ts';
import { sql } from 'kysely';
import type { Tx } from '#server/db/db.ts';

export const channel = 'bursar';

/** Said in the transaction, heard only if it commits, by every process and every open panel. */
export async function announce(tx: Tx, event: { room: Room; id: string }) {
  await sql`select pg_notify(${channel}, ${JSON.stringify(event)})`.execute(tx);
}
