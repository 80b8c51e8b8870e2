import type { Rank } from 'contract/ranks.ts';
import type { UserRole } from 'contract/users.ts';
import { sql, type UpdateObject } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';
import type { DB } from '#server/core/db/schema.gen.ts';

/**
 * Reads a user by keys only, so that a sponsor of a million is read as quickly as one of ten. A secret never leaves the
 * database, only whether it exists.
 */
export function userById(db: Db, id: string) {
  return db
    .selectFrom('platformUser')
    .leftJoin('userTotal as total', 'total.userId', 'platformUser.id')
    .leftJoin('team', 'team.userId', 'platformUser.id')
    .leftJoin('userSecret as secret', 'secret.userId', 'platformUser.id')
    .leftJoin('userPhoto as photo', 'photo.userId', 'platformUser.id')
    .leftJoin('platformUser as sponsor', 'sponsor.id', 'platformUser.sponsorId')
    .select([
      'platformUser.id',
      'platformUser.userId',
      'platformUser.username',
      'platformUser.role',
      'platformUser.createdAt',
      'platformUser.updatedAt',
    ])
    .select([
      'platformUser.wallet',
      'platformUser.solWalletAddress',
      'platformUser.referralCode',
      'platformUser.rank',
      'platformUser.version',
    ])
    .select(['platformUser.blacklistedAt', 'platformUser.blacklistReason', 'photo.digest as photo'])
    .select(sql<string | null>`to_char(platform_user.last_active_on, 'YYYY-MM-DD')`.as('lastActiveOn'))
    .select(['secret.holdsPrivateKey', 'secret.hasPassword', 'secret.hasToken', 'secret.passwordResetAt'])
    .select(['sponsor.id as sponsorId', 'sponsor.userId as sponsorUserId', 'sponsor.username as sponsorUsername'])
    .select('sponsor.retiredAt as sponsorRetiredAt')
    .select(['team.referralCount', 'team.totalNetwork', 'team.volumeSol', 'team.volumeUsd'])
    .select(['total.referralBonusUsd', 'total.gmpEarnings', 'total.weeklyRankBonusUsd', 'total.stakedEarnedUsd'])
    .select(['total.taskRewardsUsd', 'total.stakedUsd', 'total.depositUsd', 'total.withdrawnUsd'])
    .select(['total.withdrawingUsd', 'total.availableUsd', 'total.gmpShares', 'total.slx'])
    .select(['total.receivableUsd', 'total.receivableGmp'])
    .where('platformUser.id', '=', id)
    .where('platformUser.retiredAt', 'is', null);
}

export const selectUser = (db: Db, id: string) => userById(db, id).executeTakeFirst();

export type UserRecord = NonNullable<Awaited<ReturnType<typeof selectUser>>>;

const lockedColumns = [
  'id',
  'userId',
  'username',
  'role',
  'wallet',
  'referralCode',
  'rank',
  'blacklistedAt',
  'blacklistReason',
  'version',
] as const;

/**
 * Locks the user, so that concurrent actions run one after the other. Not FOR UPDATE: that would also block every new
 * stake and withdrawal that references the row.
 */
export function lockUser(tx: Tx, id: string) {
  const one = tx.selectFrom('platformUser').select(lockedColumns).where('id', '=', id).where('retiredAt', 'is', null);
  return one.forNoKeyUpdate().executeTakeFirst();
}

export function lockUserByNumber(tx: Tx, userId: string) {
  const one = tx.selectFrom('platformUser').select(lockedColumns).where('userId', '=', userId);
  return one.where('retiredAt', 'is', null).forNoKeyUpdate().executeTakeFirst();
}

export type EditableFields = { role: UserRole; wallet: string; referralCode: string };

export const updateFields = (tx: Tx, id: string, change: Partial<EditableFields>) => update(tx, id, change);

export const updateRank = (tx: Tx, id: string, rank: Rank) => update(tx, id, { rank });

/** Blacklists the user, or removes them from the blacklist if the reason is null. */
export const updateBlacklist = (tx: Tx, id: string, reason: string | null) =>
  update(tx, id, { blacklistReason: reason, blacklistedAt: reason === null ? null : sql`now()` });

/** Marks the user as deleted and revokes their token, which signs them out of the platform. */
export async function retireUser(tx: Tx, id: string) {
  await update(tx, id, { retiredAt: sql`now()` });
  await tx.updateTable('userSecret').set({ tokenDigest: null }).where('userId', '=', id).execute();
}

async function update(tx: Tx, id: string, change: UpdateObject<DB, 'platformUser'>) {
  await tx
    .updateTable('platformUser')
    .set({ ...change, updatedAt: sql`now()`, version: sql`version + 1` })
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** Users and their new ranks, with a reason or with the version of the thresholds that they reach. */
export type Promotion = {
  reason: string | null;
  thresholdsVersion: number | null;
  moves: { user: string; to: Rank }[];
};

export async function insertPromotion(tx: Tx, { moves, ...promotion }: Promotion) {
  const row = { ...promotion, moves: JSON.stringify(moves) };
  return (await tx.insertInto('promotionRequest').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

export async function selectPromotion(db: Db, id: string) {
  const columns = ['reason', 'thresholdsVersion', 'moves'] as const;
  const found = await db.selectFrom('promotionRequest').select(columns).where('id', '=', id).executeTakeFirst();
  return found as Promotion | undefined;
}

type NewRankChange = {
  userId: string;
  fromRank: Rank | 'none';
  toRank: Rank;
  reason: string;
  madeBy: string;
  approvedBy: string;
};

export async function insertRankChange(tx: Tx, change: NewRankChange) {
  await tx.insertInto('rankChange').values(change).execute();
}

const rankChangesShown = 25;

/** Reads one row more than is shown, to find out whether there are older ones. */
export async function selectRankChanges(
  db: Db,
  { user, before }: { user?: string | undefined; before?: string | undefined },
) {
  let changes = db
    .selectFrom('rankChange as change')
    .innerJoin('platformUser', 'platformUser.id', 'change.userId')
    .innerJoin('admin', 'admin.id', 'change.madeBy')
    .leftJoin('admin as approver', 'approver.id', 'change.approvedBy')
    .select(['change.id', 'change.fromRank', 'change.toRank', 'change.reason', 'change.madeAt'])
    .select(['platformUser.id as userUuid', 'platformUser.userId', 'platformUser.username', 'admin.username as madeBy'])
    .select('approver.username as approvedBy')
    .orderBy('change.madeAt', 'desc')
    .orderBy('change.id', 'desc')
    .limit(rankChangesShown + 1);
  if (user !== undefined) changes = changes.where('change.userId', '=', user);
  if (before !== undefined) {
    changes = changes.where(sql<boolean>`(change.made_at, change.id) < (
      select last.made_at, last.id from rank_change as last where last.id = ${before}
    )`);
  }
  const rows = await changes.execute();
  return { rows: rows.slice(0, rankChangesShown), hasOlder: rows.length > rankChangesShown };
}
