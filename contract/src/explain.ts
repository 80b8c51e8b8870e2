import type { ExplainedLine, Explanation } from './explanation.ts';
import { explainGmpDistribution } from './jobs-gmp-distro.ts';
import { explainRankBonus } from './jobs-rank-bonus.ts';
import { explainReferralCheck } from './jobs-referral-check.ts';
import { explainStakePayout } from './jobs-stake-payout.ts';
import type { RunKind } from './run-kinds.ts';

const explanations: Record<RunKind, (line: ExplainedLine) => Explanation[]> = {
  'stake-payout': explainStakePayout,
  'gmp-distro': explainGmpDistribution,
  'referral-check': explainReferralCheck,
  'rank-bonus': explainRankBonus,
};

/** Explains every amount of a line with the same rule that computed it. A skipped line has no amounts. */
export const explainLine = ({ kind, ...explained }: ExplainedLine & { kind: RunKind }): Explanation[] =>
  explained.line.skip === null ? explanations[kind](explained) : [];
