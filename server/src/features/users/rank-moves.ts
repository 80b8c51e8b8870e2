import { rowsByDefault } from 'contract/core/paging.ts';
import { RankThresholds } from 'contract/ranks.ts';
import type { Db } from '#server/core/db/db.ts';
import { selectMoves, selectSettings, selectSteps } from './rank-move-queries.ts';
import { RankBonus } from 'contract/jobs-rank-bonus.ts';
import { StakePayout } from 'contract/jobs-stake-payout.ts';

export async function readThresholds(db: Db) {
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
