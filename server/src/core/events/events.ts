import type { Feature } from 'contract/core/endpoint.ts';
import { sql } from 'kysely';
import type { Tx } from '#server/core/db/db.ts';

export const channel = 'bursar';

/** Said in the transaction, heard only if it commits, by every process and every open panel. */
export async function announce(tx: Tx, event: { feature: Feature; id: string }) {
  await sql`select pg_notify(${channel}, ${JSON.stringify(event)})`.execute(tx);
}
