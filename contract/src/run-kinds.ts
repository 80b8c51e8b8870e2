import { z } from 'zod';

/** What pays many people by a run. */
export type RunKind = z.output<typeof RunKind>;
export const RunKind = z.enum(['stake-payout', 'gmp-distro', 'referral-check', 'rank-bonus']);

/** What has settings; a promotion pays nobody. */
export type JobName = z.output<typeof JobName>;
export const JobName = z.enum([...RunKind.options, 'rank-promotion']);

export const jobTitles: Record<JobName, string> = {
  'stake-payout': 'Stake payout',
  'gmp-distro': 'GMP distribution',
  'referral-check': 'Referral check',
  'rank-bonus': 'Rank bonus',
  'rank-promotion': 'Rank promotion',
};

/** "Reversal of stake payout"; an abbreviation keeps its capitals. */
export const reversalTitle = (title: string) =>
  `Reversal of ${title.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`;

/** "Stake payout", and of the run that reverses one "Reversal of stake payout". */
export function runTitle({ kind, reverses }: { kind: RunKind; reverses: string | null }) {
  const title = jobTitles[kind];
  return reverses === null ? title : reversalTitle(title);
}
