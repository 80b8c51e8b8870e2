import { type Component, dueOf, type ExplainedLine, type Explanation, statusOf } from './explanation.ts';
import { explainGmpDistribution } from './jobs-gmp-distro.ts';
import { explainRankBonus } from './jobs-rank-bonus.ts';
import { explainReferralCheck } from './jobs-referral-check.ts';
import { explainStakePayout } from './jobs-stake-payout.ts';
import type { RunKind } from './run-kinds.ts';

const componentsOf: Record<RunKind, (line: ExplainedLine) => Component[]> = {
  'stake-payout': explainStakePayout,
  'gmp-distro': explainGmpDistribution,
  'referral-check': explainReferralCheck,
  'rank-bonus': explainRankBonus,
};

/**
 * Explains a line of a run that pays: every component of its amount with the rule that computed it, including those
 * that were not paid. For a skipped line these are the amounts that would have been paid. Throws if an amount of the
 * line is unreadable.
 */
export function explainLine(given: ExplainedLine): Explanation {
  const { run, line } = given;
  const components = componentsOf[run.kind](given);
  return { status: statusOf(line, run), components, due: dueOf(components, run.asset), asset: run.asset };
}
