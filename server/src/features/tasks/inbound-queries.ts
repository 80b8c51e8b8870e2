import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import { rowsAsJson } from '#server/core/db/rows.ts';

export type Submission = {
  id: string;
  userId: string;
  postUrl: string;
  title: string;
  description: string;
  reward: bigint;
  deadline: string;
  at: Date;
};

export const selectDigests = (db: Db, ids: readonly string[]) =>
  runQuery<{ id: string; digest: string | null }>(
    db,
    sql`select id, sent_digest as digest from task where id = any(${ids}::uuid[])`,
  );

export async function insertSubmissions(tx: Tx, submissions: readonly (Submission & { digest: string })[]) {
  await sql`
    insert into task (id, user_id, post_url, title, description, reward_usd, deadline, status, created_at, sent_digest)
    select id, "userId", "postUrl", title, description, reward, deadline, 'Completed', at, digest
    from json_to_recordset(${rowsAsJson(submissions)}) as item (
      id uuid, "userId" uuid, "postUrl" text, title text, description text, reward bigint, deadline date,
      at timestamptz, digest text)
    order by id`.execute(tx);
}
