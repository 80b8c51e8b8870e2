import { z } from 'zod';
import { Waiting } from './approvals.ts';
import { endpoint, Moment } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';
import { amount, Percentage } from './core/money.ts';
import { Rank, RankThresholds } from './ranks.ts';
import type { JobName } from './run-kinds.ts';

const positive = (units: bigint) => units > 0n;

const wholeShare = 10_000;

/** Shares of a stake's daily reward; what they leave stays in the treasury. */
export type StakePayout = z.output<typeof StakePayout>;
export const StakePayout = z
  .strictObject({
    enabled: z.boolean(),
    baseReward: Percentage,
    bonusReward: Percentage,
    loyaltyReward: Percentage,
  })
  .refine(({ baseReward, bonusReward, loyaltyReward }) => baseReward + bonusReward + loyaltyReward <= wholeShare, {
    path: ['loyaltyReward'],
    error: 'Together the three may be at most 100 percent.',
  });

export type Frequency = z.output<typeof Frequency>;
export const Frequency = z.enum(['Daily', 'Weekly', 'Monthly']);

export const UtcOffset = z.number().min(-12).max(14).multipleOf(0.25);
export const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, rule('must be written HH:mm'));
/** 1 is Monday, 7 is Sunday. */
export const Weekday = z.int().min(1).max(7);

export type GmpDistribution = z.output<typeof GmpDistribution>;
export const GmpDistribution = z.strictObject({
  amount: amount('GMP').refine(positive, rule('must be more than 0')),
  frequency: Frequency,
  time: TimeOfDay,
  enabled: z.boolean(),
  weekday: Weekday,
  utcOffset: UtcOffset,
  percentage: Percentage,
});

export type ReferralCheck = z.output<typeof ReferralCheck>;
export const ReferralCheck = z.strictObject({
  /** In days. */
  period: z.int().min(1).max(3_650),
  /** The sponsor's share of a first stake. */
  reward: Percentage,
});

export type RankBonus = z.output<typeof RankBonus>;
export const RankBonus = z.strictObject({
  rank: Rank,
  bonusAmount: amount('USD').refine(
    (units) => units > 0n && units <= 1_000_000_000_000n,
    rule('must be from 0.000001 to 1,000,000'),
  ),
});

/** The settings that say how much is paid: changing one needs a second person. */
export const rewardSettings: Record<JobName, readonly string[]> = {
  'stake-payout': ['baseReward', 'bonusReward', 'loyaltyReward'],
  'gmp-distro': ['amount', 'percentage'],
  'referral-check': ['reward'],
  // Its amount is that of one run, and is looked at with that run.
  'rank-bonus': [],
  'rank-promotion': [],
};

/** What the forms call them. */
export const settingNames: Record<string, string> = {
  enabled: 'Enabled',
  baseReward: 'Base reward',
  bonusReward: 'Bonus reward',
  loyaltyReward: 'Loyalty reward',
  amount: 'Amount',
  frequency: 'Frequency',
  time: 'Time',
  weekday: 'Weekday',
  utcOffset: 'UTC offset',
  percentage: 'Percentage',
  period: 'Period in days',
  reward: 'Reward',
};

/** A setting as it travels, in words. */
export function saySetting(field: string, value: unknown) {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (field === 'amount') return `${String(value)} GMP`;
  return field === 'percentage' || field.toLowerCase().endsWith('reward') ? `${String(value)} %` : String(value);
}

/** Every save makes a new version; the one before stays. */
const versionOf = <S extends z.ZodType>(settings: S) =>
  z.object({
    settings,
    version: z.int(),
    /** Null where nobody has changed what an installation begins with. */
    savedBy: z.string().nullable(),
    /** Null where nobody else was needed. */
    approvedBy: z.string().nullable(),
    savedAt: Moment,
    /** A change that waits for a second person; until then the settings above are in force. */
    waiting: Waiting.nullable(),
  });

const refusals = {
  409: {
    JobChangedMeanwhile: 'Someone else saved this just now. Check the new values and save again.',
    ChangeWaits: 'A change of these settings waits for a second person already. It has to be decided first.',
  },
} as const;

const reading = <J extends JobName, S extends z.ZodType>(job: J, settings: S) =>
  endpoint({
    feature: 'jobs',
    method: 'GET',
    url: `/api/jobs/${job}`,
    access: 'platform.read',
    summary: `Read the settings of ${job}`,
    answer: versionOf(settings),
    refusals: {},
  });

const saving = <J extends JobName, S extends z.ZodType>(job: J, settings: S) =>
  endpoint({
    feature: 'jobs',
    method: 'POST',
    url: `/api/jobs/${job}`,
    access: 'jobs.write',
    summary: `Save the settings of ${job} as a new version, or ask a second person where it changes what is paid`,
    body: z.strictObject({ settings, version: z.int() }),
    answer: versionOf(settings),
    refusals,
  });

export const readStakePayout = reading('stake-payout', StakePayout);
export const saveStakePayout = saving('stake-payout', StakePayout);
export const readGmpDistribution = reading('gmp-distro', GmpDistribution);
export const saveGmpDistribution = saving('gmp-distro', GmpDistribution);
export const readReferralCheck = reading('referral-check', ReferralCheck);
export const saveReferralCheck = saving('referral-check', ReferralCheck);
export const readRankBonus = reading('rank-bonus', RankBonus);
export const saveRankBonus = saving('rank-bonus', RankBonus);
export const readRankThresholds = reading('rank-promotion', RankThresholds);
export const saveRankThresholds = saving('rank-promotion', RankThresholds);

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

type Recurrence = Pick<GmpDistribution, 'frequency' | 'time' | 'weekday' | 'utcOffset'>;

/** The next moments after `from`: local days at the given time, seen from UTC. */
export function nextRuns({ frequency, time, weekday, utcOffset }: Recurrence, from: Date, count: number): Date[] {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const offsetMs = utcOffset * 60 * minuteMs;
  const localNow = new Date(from.getTime() + offsetMs);
  const midnight = Date.UTC(localNow.getUTCFullYear(), localNow.getUTCMonth(), localNow.getUTCDate());
  const runs: Date[] = [];
  // A month has at most 31 days: so far ahead lies the first of them, whatever today is.
  for (let day = 0; runs.length < count && day <= 31 * (count + 1); day += 1) {
    const local = new Date(midnight + day * dayMs);
    if (!isDue(local, { frequency, weekday })) continue;
    const run = new Date(local.getTime() + (hours * 60 + minutes) * minuteMs - offsetMs);
    if (run > from) runs.push(run);
  }
  return runs;
}

function isDue(local: Date, { frequency, weekday }: Pick<Recurrence, 'frequency' | 'weekday'>) {
  if (frequency === 'Weekly') return (local.getUTCDay() || 7) === weekday;
  return frequency === 'Daily' || local.getUTCDate() === 1;
}

/** A payout covers one day in UTC, and is due as soon as that day is over. */
export const payoutRecurrence: Recurrence = { frequency: 'Daily', time: '00:00', weekday: 1, utcOffset: 0 };
