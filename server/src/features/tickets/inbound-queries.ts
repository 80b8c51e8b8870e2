import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import { rowsAsJson } from '#server/core/db/rows.ts';

export type SentTicket = { id: string; username: string; type: string; description: string; at: Date };

export const selectSentTickets = (db: Db, ids: readonly string[]) =>
  runQuery<SentTicket>(
    db,
    sql`select id, username, type, description, created_at as at from ticket where id = any(${ids}::uuid[])`,
  );

export async function insertSentTickets(tx: Tx, tickets: readonly (SentTicket & { platformId: string })[]) {
  await sql`
    insert into ticket (id, platform_id, username, type, description, created_at)
    select id, "platformId", username, type, description, at
    from json_to_recordset(${rowsAsJson(tickets)}) as item (
      id uuid, "platformId" text, username text, type text, description text, at timestamptz)
    order by id`.execute(tx);
}

export type SentMessage = { id: string; ticketId: string; message: string; at: Date };

export const selectSentMessages = (db: Db, ids: readonly string[]) =>
  runQuery<SentMessage>(
    db,
    sql`select id, ticket_id as "ticketId", message, created_at as at from ticket_reply where id = any(${ids}::uuid[])`,
  );

/** Returns the tickets that users opened, with their writers. Locks them in one order. */
export async function lockTicketsOfUsers(tx: Tx, ids: readonly string[]) {
  const found = await runQuery<{ id: string; username: string }>(
    tx,
    sql`select id, username from ticket where id = any(${ids}::uuid[]) and opened_by is null order by id for update`,
  );
  return new Map(found.map(({ id, username }) => [id, username]));
}

export async function insertSentMessages(tx: Tx, messages: readonly (SentMessage & { sender: string })[]) {
  await sql`
    insert into ticket_reply (id, ticket_id, sender, message, created_at)
    select id, "ticketId", sender, message, at
    from json_to_recordset(${rowsAsJson(messages)}) as item (
      id uuid, "ticketId" uuid, sender text, message text, at timestamptz)
    order by id`.execute(tx);
}

/** Moves tickets on that awaited their user. */
export async function resumeAwaiting(tx: Tx, ids: readonly string[]) {
  await sql`update ticket set status = 'in_progress' where id = any(${ids}::uuid[]) and status = 'awaiting_user'`.execute(
    tx,
  );
}
