import { writeAmount } from 'contract/core/money.ts';
import { type Rank, type RankStay, refuseMove, refusePromotion } from 'contract/ranks.ts';
import { type Effect, requestApproval, waitingFor } from '#server/core/approvals/approvals.ts';
import type { Payload } from '#server/core/approvals/payload.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { lockMovers, type Mover } from './rank-move-queries.ts';
import { readThresholds } from './rank-moves.ts';
import {
  insertPromotion,
  insertRankChange,
  lockUserByNumber,
  type Promotion,
  selectPromotion,
  updateRank,
} from './queries.ts';
import { readUser } from './service.ts';
import { recordUserChange } from './user-events.ts';

/*
 * Ranks decide what is paid, so every promotion is a request that a second approver decides.
 */

type One = { actor: Actor; userId: string; newRank: Rank; reason: string };

/** Requests a rank for one user. */
export async function promoteUser(tx: Tx, { actor, userId, newRank, reason }: One) {
  const found = await lockUserByNumber(tx, userId);
  if (!found) throw new Refusal('UserNotFound');
  const refusal = refusePromotion(found, newRank);
  if (refusal) throw new Refusal(refusal);

  const promotion = { reason, thresholdsVersion: null, moves: [{ user: found.id, to: newRank }] };
  const waiting = await request(tx, { actor, promotion });
  return { ...(await readUser(tx, found.id)), waiting };
}

type Many = { actor: Actor; version: number; moves: { id: string; to: Rank }[] };

/**
 * Requests the promotion of the users who still qualify and returns the others with the reason. Checks everyone again,
 * because figures, ranks and the blacklist may have changed since they were shown. Refuses outdated thresholds.
 */
export async function promoteMovers(tx: Tx, { actor, version, moves }: Many) {
  const { thresholds, version: current } = await readThresholds(tx);
  if (current !== version) throw new Refusal('ThresholdsChanged');

  const requested = new Map(moves.map(({ id, to }) => [id, to]));
  const users = new Map((await lockMovers(tx, [...requested.keys()])).map((user) => [user.id, user]));
  const stayed: RankStay[] = [];
  const promoted: Promotion['moves'] = [];
  for (const [id, to] of requested) {
    const user = users.get(id);
    const why = user ? refuseMove(thresholds, user, to) : 'deleted';
    if (why) stayed.push({ id, username: user?.username ?? null, why });
    else promoted.push({ user: id, to });
  }
  const promotion = { reason: null, thresholdsVersion: version, moves: promoted };
  const waiting = promoted.length > 0 ? await request(tx, { actor, promotion }) : null;
  return { requested: promoted.length, stayed, waiting };
}

async function request(tx: Tx, { actor, promotion }: { actor: Actor; promotion: Promotion }) {
  const subjectId = await insertPromotion(tx, promotion);
  const payload = await payloadOf(tx, promotion);
  if (!payload) throw new Error('A promotion was requested for users who do not exist.');
  await requestApproval(tx, { kind: 'promotion', subjectId, payload, requestedBy: actor.id });
  const waiting = await waitingFor(tx, { kind: 'promotion', subjectId });
  if (!waiting)
    throw new Error(`The request for the promotion ${subjectId} is gone from the transaction that made it.`);
  const { reason, thresholdsVersion } = promotion;
  for (const { user, to } of promotion.moves) {
    const details = {
      promotion: subjectId,
      after: { rank: to },
      ...(reason === null ? { thresholdsVersion } : { reason }),
    };
    await recordAudit(tx, { actorId: actor.id, action: 'users.request-promotion', subjectId: user, details });
  }
  return waiting;
}

/** The effect of an approved promotion. Users who no longer qualify keep their rank; the others are promoted. */
export const promotionEffect: Effect = {
  async payloadOf(tx, id) {
    const promotion = await selectPromotion(tx, id);
    return promotion && payloadOf(tx, promotion);
  },
  async apply(tx, { subjectId, requestedBy, decidedBy }) {
    const promotion = await selectPromotion(tx, subjectId);
    if (!promotion) throw new Refusal('ApprovalVoid');
    const { thresholds } = await readThresholds(tx);
    const users = await lockMovers(
      tx,
      promotion.moves.map(({ user }) => user),
    );
    for (const user of users) {
      const newRank = rankFor(promotion, user);
      if (!newRank) continue;
      const { reason, thresholdsVersion } = promotion;
      if (thresholdsVersion !== null && refuseMove(thresholds, user, newRank)) continue;
      const why = reason ?? reasonOf(user, newRank, thresholdsVersion ?? 0);
      await giveRank(tx, user, { newRank, reason: why, madeBy: requestedBy, approvedBy: decidedBy });
    }
  },
};

const rankFor = ({ moves }: Promotion, { id }: Mover) => moves.find(({ user }) => user === id)?.to;

/**
 * Returns undefined if there is nothing left to decide: the user was deleted, or the thresholds have changed. The facts
 * of many promotions leave out the current ranks, so that a change of one user does not void the request for all.
 */
async function payloadOf(tx: Tx, promotion: Promotion): Promise<Payload | undefined> {
  const { reason, thresholdsVersion, moves } = promotion;
  const users = await lockMovers(
    tx,
    moves.map(({ user }) => user),
  );
  if (thresholdsVersion === null) {
    const [user] = users;
    const newRank = user && rankFor(promotion, user);
    if (!newRank || user.isDeleted) return undefined;
    return {
      userUuid: user.id,
      facts: [
        { key: 'user', value: user.username },
        { key: 'rank', before: user.rank, value: newRank },
        { key: 'reason', value: reason ?? '' },
      ],
    };
  }
  if ((await readThresholds(tx)).version !== thresholdsVersion) return undefined;
  return {
    userUuid: null,
    facts: [
      { key: 'users', value: String(users.length) },
      ...users.map((user) => ({ key: 'promotion' as const, value: `${user.userId} ${rankFor(promotion, user)}` })),
      { key: 'version', value: String(thresholdsVersion) },
    ],
  };
}

type NewRank = { newRank: Rank; reason: string; madeBy: string; approvedBy: string };

/** Gives a user a rank and records it. The caller must have locked the user. */
async function giveRank(tx: Tx, { id, rank }: Mover, { newRank, reason, madeBy, approvedBy }: NewRank) {
  await updateRank(tx, id, newRank);
  await insertRankChange(tx, { userId: id, fromRank: rank, toRank: newRank, reason, madeBy, approvedBy });
  await announce(tx, { feature: 'users', id });
  await recordUserChange(tx, (await readUser(tx, id)).user, ['rank']);
  const details = { reason, before: { rank }, after: { rank: newRank }, approvedBy };
  await recordAudit(tx, { actorId: madeBy, action: 'users.promote', subjectId: id, details });
}

const figures = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 });
const counts = new Intl.NumberFormat('en');

function reasonOf({ referralCount, totalTeamVolumeUSD }: Mover, rank: Rank, version: number) {
  const referrals = `${counts.format(referralCount)} direct ${referralCount === 1 ? 'referral' : 'referrals'}`;
  // Formats a string, because a number cannot represent every amount exactly.
  const volume = figures.format(writeAmount(totalTeamVolumeUSD, 'USD') as `${number}`);
  return `Reached ${rank}: ${referrals}, ${volume} USD team volume (thresholds version ${version})`;
}
