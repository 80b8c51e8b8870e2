import { writeAmount } from 'contract/core/money.ts';
import { rowsByDefault } from 'contract/core/paging.ts';
import { type Rank, RankThresholds, type RankStay, refuseMove } from 'contract/ranks.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { lockMovers, selectMoves, selectSettings, selectSteps } from './rank-move-queries.ts';
import { giveRank } from './service.ts';
import { RankBonus } from 'contract/jobs-rank-bonus.ts';
import { StakePayout } from 'contract/jobs-stake-payout.ts';

async function readThresholds(db: Db) {
  const { settings, version } = await selectSettings(db, 'rank-promotion');
  return { thresholds: RankThresholds.parse(settings), version };
}

const readPayout = async (db: Db) => StakePayout.parse((await selectSettings(db, 'stake-payout')).settings);

type Params = { cursor?: string | undefined; limit?: number | undefined };

export async function listRankMoves(db: Db, { cursor, limit = rowsByDefault }: Params) {
  const { thresholds, version } = await readThresholds(db);
  const page = await selectMoves(db, { thresholds, payout: await readPayout(db), cursor, limit });
  return { ...page, version };
}

export async function readRankMoveFigures(db: Db) {
  const { thresholds, version } = await readThresholds(db);
  const { rank, bonusAmount } = RankBonus.parse((await selectSettings(db, 'rank-bonus')).settings);
  const { steps, capped } = await selectSteps(db, { thresholds, payout: await readPayout(db) });
  const users = (counted: typeof steps) => counted.reduce((sum, { count }) => sum + count, 0n);
  return {
    version,
    total: { count: Number(users(steps)), capped },
    steps: steps.map(({ from, to, count }) => ({ from, to, count: Number(count) })),
    bonusPerDay: steps.reduce((sum, { bonusPerDay }) => sum + bonusPerDay, 0n),
    rankBonus: { rank, bonusAmount, perWeek: bonusAmount * users(steps.filter(({ to }) => to === rank)) },
  };
}

type Promotion = { actor: Actor; version: number; moves: { id: string; to: Rank }[] };

/**
 * Promotes the users who still qualify and returns the others with the reason. Checks everyone again under a lock,
 * because figures, ranks and the blacklist may have changed since they were shown. Refuses outdated thresholds.
 */
export async function promoteMovers(tx: Tx, { actor, version, moves }: Promotion) {
  const current = await readThresholds(tx);
  if (current.version !== version) throw new Refusal('ThresholdsChanged');

  const requested = new Map(moves.map(({ id, to }) => [id, to]));
  const users = new Map((await lockMovers(tx, [...requested.keys()])).map((user) => [user.id, user]));
  const stayed: RankStay[] = [];
  for (const [id, newRank] of requested) {
    const user = users.get(id);
    if (!user) {
      stayed.push({ id, username: null, why: 'deleted' });
      continue;
    }
    const why = refuseMove(current.thresholds, user, newRank);
    if (why) stayed.push({ id, username: user.username, why });
    else await giveRank(tx, user, { actor, newRank, reason: reasonOf(user, newRank, version) });
  }
  return { promoted: requested.size - stayed.length, stayed };
}

const figures = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 });
const counts = new Intl.NumberFormat('en');

type Reached = { referralCount: number; totalTeamVolumeUSD: bigint };

function reasonOf({ referralCount, totalTeamVolumeUSD }: Reached, rank: Rank, version: number) {
  const referrals = `${counts.format(referralCount)} direct ${referralCount === 1 ? 'referral' : 'referrals'}`;
  // Formats a string, because a number cannot represent every amount exactly.
  const volume = figures.format(writeAmount(totalTeamVolumeUSD, 'USD') as `${number}`);
  return `Reached ${rank}: ${referrals}, ${volume} USD team volume (thresholds version ${version})`;
}
