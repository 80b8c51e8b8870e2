import { z } from 'zod';
import { rule } from './core/field-errors.ts';
import { amount } from './core/money.ts';
import { pageAnswer } from './core/paging.ts';

/** The ranks that can be assigned, lowest first. `none` is below them. */
export type Rank = z.output<typeof Rank>;
export const Rank = z.enum(['Silver', 'Gold', 'Platinum']);
type RankOrNone = z.output<typeof RankOrNone>;
export const RankOrNone = z.enum(['none', ...Rank.options]);

const isAbove = (one: Rank, other: RankOrNone) => RankOrNone.options.indexOf(one) > RankOrNone.options.indexOf(other);

/** Returns why a rank cannot be assigned: as in the reference, any rank may follow any other, but not itself. */
export function refusePromotion({ rank }: { rank: RankOrNone }, newRank: Rank) {
  return rank === newRank ? 'RankUnchanged' : undefined;
}

/** At least one referral is required, so that only users with a team have to be read, not all ten million. */
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
          message: `${higher} must require at least as much as ${lower}.`,
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

/** Why a user is not promoted. */
type StayReason = z.output<typeof StayReason>;
const StayReason = z.enum(['deleted', 'blacklisted', 'held', 'reach']);

export const stayText: Record<StayReason, string> = {
  deleted: 'This user no longer exists.',
  blacklisted: 'This user is blacklisted.',
  held: 'This user holds that rank or a higher one already.',
  reach: 'This is not the rank that the user’s figures reach now.',
};

/** Returns why a user is not promoted to `to`. Users move up to the highest rank that they reach, and never down. */
export function refuseMove(thresholds: RankThresholds, user: TeamFigures, to: Rank): StayReason | undefined {
  if (user.isDeleted) return 'deleted';
  if (user.isBlacklisted) return 'blacklisted';
  if (!isAbove(to, user.rank)) return 'held';
  const reached = Rank.options.findLast(
    (rank) => user.referralCount >= thresholds[rank].referrals && user.totalTeamVolumeUSD >= thresholds[rank].volume,
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
  /** What it adds to a day's stake payout. Zero for a user who has a rank: all ranks get the same bonus share. */
  bonusPerDay: amount('USD'),
});

/** The number of qualifying users that are read. Skipping millions who hold the rank already would take too long. */
export const checkedAtMost = 100_000;

/** With more than `countedAtMost` moves or `checkedAtMost` users, only the first count, and `total.capped` is true. */
export type RankMoveFigures = z.output<typeof RankMoveFigures>;
export const RankMoveFigures = z.object({
  /** The version of the thresholds. */
  version: z.int(),
  total: pageAnswer.total,
  steps: z.array(z.object({ from: RankOrNone, to: Rank, count: z.int() })),
  bonusPerDay: amount('USD'),
  /** The saved rank bonus. `perWeek` is the sum for the users who would move to that rank. */
  rankBonus: z.object({ rank: Rank, bonusAmount: amount('USD'), perWeek: amount('USD') }),
});

/** A user who was in the request but was not promoted. */
export type RankStay = z.output<typeof RankStay>;
export const RankStay = z.object({ id: z.uuid(), username: z.string().nullable(), why: StayReason });
