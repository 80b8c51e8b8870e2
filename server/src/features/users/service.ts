import { rowsByDefault } from 'contract/core/paging.ts';
import type { UserSort } from 'contract/users.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { brokenConstraint, type Db, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { recordEvent } from '#server/core/outbox/outbox.ts';
import { Refusal } from '#server/core/refusal.ts';
import { type Filter, selectPage } from './list.ts';
import {
  type EditableFields,
  lockUser,
  retireUser,
  selectRankChanges,
  selectUser,
  updateBlacklist,
  updateFields,
} from './queries.ts';
import { userOf } from './user.ts';
import { recordUserChange } from './user-events.ts';

type Params = Filter & { sort?: UserSort | undefined; cursor?: string | undefined; limit?: number | undefined };

export async function listUsers(db: Db, { sort, limit, cursor, ...filter }: Params) {
  const query = { ...filter, sort: sort ?? '-createdAt', cursor, limit: limit ?? rowsByDefault };
  const { rows, ...page } = await selectPage(db, query);
  return { users: rows, ...page };
}

export async function readUser(db: Db, id: string) {
  const record = await selectUser(db, id);
  if (!record) throw new Refusal('UserNotFound');
  return { user: userOf(record) };
}

type Change = { actor: Actor; id: string; version: number } & {
  [K in keyof EditableFields]?: EditableFields[K] | undefined;
};

export async function changeUser(tx: Tx, { actor, id, version, ...requested }: Change) {
  const found = await lockUser(tx, id);
  if (!found) throw new Refusal('UserNotFound');
  if (found.version !== version) throw new Refusal('UserConflict');

  const { before, after } = differences(found, requested);
  if (Object.keys(after).length === 0) return readUser(tx, id);
  await updateFields(tx, id, after).catch((error: unknown) => {
    throw brokenConstraint(error) === 'platform_user_referral_code_key' ? new Refusal('ReferralCodeTaken') : error;
  });
  await announce(tx, { feature: 'users', id });
  const { user } = await readUser(tx, id);
  await recordUserChange(
    tx,
    user,
    changedFields.filter((field) => field in after),
  );
  await recordAudit(tx, { actorId: actor.id, action: 'users.change', subjectId: id, details: { before, after } });
  return { user };
}

const changedFields = ['role', 'wallet', 'referralCode'] as const;

/** Returns the requested values that differ from the stored ones, before and after. */
function differences(found: EditableFields, requested: Omit<Change, 'actor' | 'id' | 'version'>) {
  const { role = found.role, wallet = found.wallet, referralCode = found.referralCode } = requested;
  const after = {
    ...(role !== found.role && { role }),
    ...(wallet !== found.wallet && { wallet }),
    ...(referralCode !== found.referralCode && { referralCode }),
  };
  const before = {
    ...('role' in after && { role: found.role }),
    ...('wallet' in after && { wallet: found.wallet }),
    ...('referralCode' in after && { referralCode: found.referralCode }),
  };
  return { before, after };
}

/** Marks the user as deleted. The row is kept, because ledger and audit rows refer to it. */
export async function deleteUser(tx: Tx, { actor, id }: { actor: Actor; id: string }) {
  const found = await lockUser(tx, id);
  if (!found) throw new Refusal('UserNotFound');

  const { user } = await readUser(tx, id);
  await retireUser(tx, id);
  await recordUserChange(tx, user, ['isDeleted']);
  await announce(tx, { feature: 'users', id });
  const { userId, username, role } = found;
  const details = { before: { userId, username, role } };
  await recordAudit(tx, { actorId: actor.id, action: 'users.delete', subjectId: id, details });
  return {};
}

type Blacklisting = { actor: Actor; id: string; blacklisted: boolean; reason: string };

export async function setBlacklisted(tx: Tx, { actor, id, blacklisted, reason }: Blacklisting) {
  const found = await lockUser(tx, id);
  if (!found) throw new Refusal('UserNotFound');
  const wasBlacklisted = found.blacklistedAt !== null;
  if (wasBlacklisted === blacklisted) throw new Refusal('BlacklistUnchanged');

  await updateBlacklist(tx, id, blacklisted ? reason : null);
  await announce(tx, { feature: 'users', id });
  const { user } = await readUser(tx, id);
  const { userId, username, isBlacklisted, blacklistReason } = user;
  const data = { userUuid: id, userId, username, isBlacklisted, reason: blacklistReason };
  await recordEvent(tx, { type: 'user.blacklisted', subjectId: id, data });
  await recordAudit(tx, {
    actorId: actor.id,
    action: blacklisted ? 'users.blacklist' : 'users.unblacklist',
    subjectId: id,
    details: {
      reason,
      before: { isBlacklisted: wasBlacklisted, blacklistReason: found.blacklistReason },
      after: { isBlacklisted, blacklistReason },
    },
  });
  return { user };
}

export async function listRankChanges(db: Db, params: { user?: string | undefined; before?: string | undefined }) {
  const { rows, hasOlder } = await selectRankChanges(db, params);
  const changes = rows.map(
    ({ id, userUuid, userId, username, fromRank, toRank, reason, madeBy, approvedBy, madeAt }) => ({
      id,
      user: { id: userUuid, userId, username },
      from: fromRank,
      to: toRank,
      reason,
      by: madeBy,
      approvedBy,
      at: madeAt,
    }),
  );
  return { changes, olderThan: hasOlder ? (rows.at(-1)?.id ?? null) : null };
}
