import * as contract from 'contract/jobs.ts';
import { RankThresholds } from 'contract/ranks.ts';
import { actingAs } from '#server/core/auth/acting.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { readJob, saveJob } from './service.ts';

const stakePayout = { job: 'stake-payout', schema: contract.StakePayout } as const;
const gmpDistribution = { job: 'gmp-distro', schema: contract.GmpDistribution } as const;
const referralCheck = { job: 'referral-check', schema: contract.ReferralCheck } as const;
const rankBonus = { job: 'rank-bonus', schema: contract.RankBonus } as const;
const rankThresholds = { job: 'rank-promotion', schema: RankThresholds } as const;

export function jobRoutes(api: Api, database: Database) {
  api.serve(contract.readStakePayout, () => readJob(database, stakePayout));
  api.serve(contract.readGmpDistribution, () => readJob(database, gmpDistribution));
  api.serve(contract.readReferralCheck, () => readJob(database, referralCheck));
  api.serve(contract.readRankBonus, () => readJob(database, rankBonus));
  api.serve(contract.readRankThresholds, () => readJob(database, rankThresholds));

  api.serve(contract.saveStakePayout, ({ body, actor }) =>
    actingAs(database, actor, (tx) => saveJob(tx, { ...stakePayout, ...body, actor })),
  );
  api.serve(contract.saveGmpDistribution, ({ body, actor }) =>
    actingAs(database, actor, (tx) => saveJob(tx, { ...gmpDistribution, ...body, actor })),
  );
  api.serve(contract.saveReferralCheck, ({ body, actor }) =>
    actingAs(database, actor, (tx) => saveJob(tx, { ...referralCheck, ...body, actor })),
  );
  api.serve(contract.saveRankBonus, ({ body, actor }) =>
    actingAs(database, actor, (tx) => saveJob(tx, { ...rankBonus, ...body, actor })),
  );
  api.serve(contract.saveRankThresholds, ({ body, actor }) =>
    actingAs(database, actor, (tx) => saveJob(tx, { ...rankThresholds, ...body, actor })),
  );
}
