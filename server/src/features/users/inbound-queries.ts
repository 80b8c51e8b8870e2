import type { UserRole } from 'contract/users.ts';
import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import { rowsAsJson } from '#server/core/db/rows.ts';

export type SentUser = {
  userNumber: string;
  username: string;
  role: UserRole;
  wallet: string;
  solWalletAddress: string;
  referralCode: string;
  sponsorId: string | null;
  joinedAt: Date;
};

type StoredUser = SentUser & { sentDigest: string | null };

export const selectSent = (db: Db, userNumbers: readonly string[]) =>
  runQuery<StoredUser>(
    db,
    sql`select user_id as "userNumber", username, role, wallet, sol_wallet_address as "solWalletAddress",
        referral_code as "referralCode", sponsor_id as "sponsorId", created_at as "joinedAt", sent_digest as "sentDigest"
      from platform_user where user_id = any(${userNumbers}::text[])`,
  );

/** Returns the users with these referral codes. Codes of deleted users are not given to others. */
export async function selectByCode(db: Db, codes: readonly string[]) {
  const found = await runQuery<{ code: string; id: string }>(
    db,
    sql`select referral_code as code, id from platform_user where referral_code = any(${codes}::text[])`,
  );
  return new Map(found.map(({ code, id }) => [code, id]));
}

/** Returns each name as it is compared, and whether a user has it. */
export async function selectNames(db: Db, usernames: readonly string[]) {
  const found = await runQuery<{ username: string; key: string; isTaken: boolean }>(
    db,
    sql`select username, lower(username) as key, exists (
        select from platform_user as other where lower(other.username) = lower(name.username) and other.retired_at is null
      ) as "isTaken"
      from unnest(${usernames}::text[]) as name (username)`,
  );
  return new Map(found.map((name) => [name.username, name]));
}

export async function insertSent(tx: Tx, users: readonly (StoredUser & { id: string })[]) {
  await sql`
    insert into platform_user (id, user_id, username, role, wallet, sol_wallet_address, referral_code, sponsor_id,
      created_at, updated_at, sent_digest)
    select id, "userNumber", username, role, wallet, "solWalletAddress", "referralCode", "sponsorId", "joinedAt",
      "joinedAt", "sentDigest"
    from json_to_recordset(${rowsAsJson(users)}) as item (
      id uuid, "userNumber" text, username text, role user_role, wallet text, "solWalletAddress" text,
      "referralCode" text, "sponsorId" uuid, "joinedAt" timestamptz, "sentDigest" text)
    order by id`.execute(tx);
}
