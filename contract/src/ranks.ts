import { z } from 'zod';
import { rule } from './core/field-errors.ts';
import { amount } from './core/money.ts';
import { pageAnswer } from './core/paging.ts';

/** The ranks that can be given, lowest first; below them stands `none`. */
export type Rank = z.output<typeof Rank>;
export const Rank = z.enum(['Silver', 'Gold', 'Platinum']);
type RankOrNone = z.output<typeof RankOrNone>;
export const RankOrNone = z.enum(['none', ...Rank.options]);

const isAbove = (one: Rank, other: RankOrNone) => RankOrNone.options.indexOf(one) > RankOrNone.options.indexOf(other);

/** The reference's own function is the ladder: every other rank may be given, the same one may not. */
export function refusePromotion({ rank }: { rank: RankOrNone }, newRank: Rank) {
  return rank === newRank ? 'RankUnchanged' : undefined;
}

/** Whoever brought nobody reaches nothing: among ten million users only those with a team are looked at. */
const Threshold = z.strictObject({
  referrals: z.int().min(1).max(1_000_000),
  volume: amount('USD').refine((units) => units >= 0n && units <= 10n ** 15n, rule('must be from 0 to 1,000,000,000')),
});

export type RankThresholds = z.output<typeof RankThresholds>;
export const RankThresholds = z
  .strictObject({ Silver: Threshold, Gold: Threshold, Platinum: Threshold })
  .superRefine((thresholds, context) => {
    for (const [lower, higher] of [
      ['Silver', 'Gold'],
      ['Gold', 'Platinum'],
    ] as const) {
      for (const field of ['referrals', 'volume'] as const) {
        if (thresholds[higher][field] >= thresholds[lower][field]) continue;
        context.addIssue({
          code: 'custom',
          path: [higher, field],
          params: { below: lower },
          message: `${higher} asks for at least what ${lower} does.`,
        });
      }
    }
  });

type TeamFigures = {
  rank: RankOrNone;
  referralCount: number;
  totalTeamVolumeUSD: bigint;
  isBlacklisted: boolean;
  isDeleted: boolean;
};

/** Why somebody is not moved. */
type StayReason = z.output<typeof StayReason>;
const StayReason = z.enum(['deleted', 'blacklisted', 'held', 'reach']);

export const stayText: Record<StayReason, string> = {
  deleted: 'There is no such user any more.',
  blacklisted: 'This user is blacklisted.',
  held: 'This user holds that rank or a higher one already.',
  reach: 'This is not the rank that the user’s figures reach now.',
};

/** The thresholds move people up, to the highest rank that they reach, and never down. */
export function refuseMove(thresholds: RankThresholds, standing: TeamFigures, to: Rank): StayReason | undefined {
  if (standing.isDeleted) return 'deleted';
  if (standing.isBlacklisted) return 'blacklisted';
  if (!isAbove(to, standing.rank)) return 'held';
  const reached = Rank.options.findLast(
    (rank) =>
      standing.referralCount >= thresholds[rank].referrals && standing.totalTeamVolumeUSD >= thresholds[rank].volume,
  );
  return reached === to ? undefined : 'reach';
}

export type RankMove = z.output<typeof RankMove>;
export const RankMove = z.object({
  id: z.uuid(),
  userId: z.string(),
  username: z.string(),
  from: RankOrNone,
  to: Rank,
  referralCount: z.int(),
  totalTeamVolumeUSD: amount('USD'),
  /** What a day's stake payout would add: only who holds no rank has no bonus share yet. */
  bonusPerDay: amount('USD'),
});

/** So many of those who reach a rank are looked at: to pass over millions who hold it takes longer than a call may. */
export const lookedAtMost = 100_000;

/** Past `countedAtMost` movers or `lookedAtMost` people the figures are of the first of the list: `capped` says so. */
export type RankMoveFigures = z.output<typeof RankMoveFigures>;
export const RankMoveFigures = z.object({
  /** Of the thresholds. */
  version: z.int(),
  total: pageAnswer.total,
  steps: z.array(z.object({ from: RankOrNone, to: Rank, count: z.int() })),
  bonusPerDay: amount('USD'),
  /** As it is saved: `perWeek` is for those who would come to hold that rank. */
  rankBonus: z.object({ rank: Rank, bonusAmount: amount('USD'), perWeek: amount('USD') }),
});

/** Who was to be promoted and was not. */
export type RankStay = z.output<typeof RankStay>;
export const RankStay = z.object({ id: z.uuid(), username: z.string().nullable(), why: StayReason });
