import { sql } from 'kysely';
import type { Tx } from '#server/core/db/db.ts';

/** Inserts all staged tickets of an import. */
export async function insertImportedTickets(tx: Tx) {
  await sql`
    insert into ticket (id, platform_id, type, description, username, status, response, created_at)
    select it.id, it.ticket_id, it.subject, it.description, writer.username, it.status, it.response, it.created_at
    from import_ticket as it join import_user as writer on writer.id = it.owner_id
    order by it.id`.execute(tx);
}
