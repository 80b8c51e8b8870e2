import { openedKeysDays } from 'contract/users-opened-keys.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';

type NewReveal = { userId: string; requestedBy: string; reason: string };

export async function insertReveal(tx: Tx, reveal: NewReveal) {
  return (await tx.insertInto('keyReveal').values(reveal).returning('id').executeTakeFirstOrThrow()).id;
}

/** Returns what a request for a key is about, unless the user was deleted or the key is gone. */
export function selectReveal(db: Db, id: string) {
  return db
    .selectFrom('keyReveal as reveal')
    .innerJoin('platformUser as user', 'user.id', 'reveal.userId')
    .innerJoin('userSecret as secret', 'secret.userId', 'user.id')
    .select(['reveal.userId', 'reveal.reason', 'user.username'])
    .where('reveal.id', '=', id)
    .where('user.retiredAt', 'is', null)
    .where('secret.holdsPrivateKey', '=', true)
    .executeTakeFirst();
}

type CurrentReveal = {
  id: string;
  approval: string;
  state: 'waiting' | 'approved';
  reason: string;
  expiresAt: Date;
};

/** Returns the request of an administrator for the key of a user that waits or can be opened. */
export async function selectCurrentReveal(db: Db, { userId, adminId }: { userId: string; adminId: string }) {
  const { rows } = await sql<CurrentReveal>`
    select reveal.id, approval.id as approval, approval.state, reveal.reason, approval.expires_at as "expiresAt"
    from key_reveal as reveal join approval on approval.kind = 'reveal' and approval.subject_id = reveal.id
    where reveal.user_id = ${userId}::uuid and reveal.requested_by = ${adminId}::uuid and reveal.opened_at is null
      and approval.state in ('waiting', 'approved') and approval.expires_at > now()
    order by reveal.id desc limit 1`.execute(db);
  return rows[0];
}

/** Marks an approved request as opened and returns the encrypted key. Fails for every further call. */
export async function openReveal(tx: Tx, { id, adminId }: { id: string; adminId: string }) {
  const { rows } = await sql<{ sealed: Buffer }>`
    select open_user_key(${id}::uuid, ${adminId}::uuid) as sealed`.execute(tx);
  const [opened] = rows;
  if (!opened) throw new Error(`The request ${id} was opened without a key.`);
  return opened.sealed;
}

type Opened = {
  id: string;
  userUuid: string;
  userId: string;
  username: string;
  reason: string;
  openedBy: string;
  approvedBy: string;
  openedAt: Date;
};

const openedShown = 100;

export async function selectOpened(db: Db, id?: string) {
  const { rows } = await sql<Opened>`
    select reveal.id, platform_user.id as "userUuid", platform_user.user_id as "userId", platform_user.username,
      reveal.reason, opener.username as "openedBy", approver.username as "approvedBy", reveal.opened_at as "openedAt"
    from key_reveal as reveal
    join platform_user on platform_user.id = reveal.user_id
    join admin as opener on opener.id = reveal.requested_by
    join approval on approval.kind = 'reveal' and approval.subject_id = reveal.id
    join admin as approver on approver.id = approval.decided_by
    where reveal.opened_at > now() - ${openedKeysDays} * interval '1 day'
      and (${id ?? null}::uuid is null or reveal.id = ${id ?? null}::uuid)
    order by reveal.opened_at desc, reveal.id desc limit ${openedShown}`.execute(db);
  return rows;
}

/** Deletes what is stored of a password and the token, which signs the user out of the platform. */
export const clearPassword = (tx: Tx, userId: string) => sql`select reset_user_password(${userId}::uuid)`.execute(tx);
