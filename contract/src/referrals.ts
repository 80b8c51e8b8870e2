import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';
import { amount } from './core/money.ts';

/** What an administrator must judge, worst first. Wrong counters are not included, because they can be repaired. */
export type FindingKind = z.output<typeof FindingKind>;
export const FindingKind = z.enum([
  'self-referral',
  'circle',
  'missing-sponsor',
  'blacklisted-sponsor',
  'shared-wallet',
]);

/** The number of findings of one kind that are listed. All are counted. */
export const listedAtMost = 1_000;
/** The number of users that are listed for one circle or one shared wallet. */
export const namedAtMost = 20;

export type TreeReport = z.output<typeof TreeReport>;
export const TreeReport = z.object({
  id: z.uuid(),
  requestedBy: z.string(),
  requestedAt: Timestamp,
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  /** Why it failed. */
  why: z.string().nullable(),
  /** In percent. */
  progress: z.int(),
  /** The time of the snapshot that it describes. */
  at: Timestamp.nullable(),
  users: z.int(),
  found: z.record(FindingKind, z.int()),
  /** The number of users with a counter that differs from the tree, in all and for each counter. */
  wrong: z.object({
    users: z.int(),
    referralCount: z.int(),
    totalNetwork: z.int(),
    totalTeamVolumeSOL: z.int(),
    totalTeamVolumeUSD: z.int(),
  }),
  /** The hash of all corrections. Sent back with a repair request, so that nobody requests what they have not seen. */
  digest: z.string().nullable(),
  repair: z
    .object({
      state: z.enum(['requested', 'repairing', 'repaired']),
      request: z.uuid(),
      requestedBy: z.string(),
      approvedBy: z.string().nullable(),
      endedAt: Timestamp.nullable(),
    })
    .nullable(),
});

const repairRefusals = {
  ReportUnfinished: 'This check has not finished yet.',
  ReportOutdated: 'There is a newer report. Repair what that one finds.',
  ReportTooOld: 'This report is older than a day. Check the tree again, and repair what that finds.',
  NothingToRepair: 'Every counter matches the tree.',
  RepairRequested: 'This repair is already waiting for a second approver.',
  RepairStarted: 'This report was repaired already.',
} as const;

const dayMs = 24 * 3_600_000;

type Repairable = Pick<TreeReport, 'id' | 'state' | 'at' | 'wrong' | 'repair'>;

/** Returns why the counters cannot be repaired from this report. An outdated one could undo later corrections. */
export function refuseRepair(
  { id, state, at, wrong, repair }: Repairable,
  { newest, now }: { newest: string; now: Date },
): keyof typeof repairRefusals | undefined {
  if (repair && repair.state !== 'requested') return 'RepairStarted';
  if (id !== newest) return 'ReportOutdated';
  if (state !== 'done' || at === null) return 'ReportUnfinished';
  if (wrong.users === 0) return 'NothingToRepair';
  return now.getTime() - at.getTime() > dayMs ? 'ReportTooOld' : undefined;
}

export const readTree = endpoint({
  feature: 'referrals',
  method: 'GET',
  url: '/api/referrals/reports',
  access: 'platform.read',
  summary: 'The newest report on the referral tree, and the newest that is finished',
  answer: z.object({ newest: TreeReport.nullable(), finished: TreeReport.nullable() }),
  refusals: {},
});

export const checkTree = endpoint({
  feature: 'referrals',
  method: 'POST',
  url: '/api/referrals/reports',
  access: 'jobs.write',
  summary: 'Check the referral tree of all users and report the problems; nothing is changed',
  answer: z.object({ report: TreeReport }),
  refusals: {
    409: {
      CheckUnderWay: 'The tree is being checked already.',
      RepairUnderWay: 'Counters are being repaired. Check the tree when that is done.',
    },
  },
});

const ReportNotFound = 'There is no such report.';
const ReportId = z.strictObject({ id: z.uuid() });

export type TreeUser = z.output<typeof TreeUser>;
const TreeUser = z.object({
  id: z.uuid(),
  userId: z.string(),
  username: z.string(),
  isDeleted: z.boolean(),
});

export type Finding = z.output<typeof Finding>;
export const Finding = z.object({
  no: z.int(),
  /**
   * The user and then their sponsor; for a circle, its members, each followed by their sponsor; for a shared wallet,
   * the users who share it.
   */
  users: z.array(TreeUser),
  /** The number of users involved, listed or not. */
  size: z.int(),
  wallet: z.string().nullable(),
});

const wholeOnWire = z.string().regex(/^\d{1,7}$/, rule('must be a whole number'));
const Whole = z.codec(wholeOnWire, z.int(), { decode: Number, encode: String });

export const listFindings = endpoint({
  feature: 'referrals',
  method: 'GET',
  url: '/api/referrals/reports/:id/findings',
  access: 'platform.read',
  summary: 'List the findings of a report by kind, a page at a time',
  params: ReportId,
  querystring: z.strictObject({ kind: FindingKind, after: Whole.optional() }),
  answer: z.object({
    findings: z.array(Finding),
    /** Pass it as `after` to get the next findings. */
    next: z.int().nullable(),
  }),
  refusals: { 404: { ReportNotFound } },
});

const Figures = z.object({
  referralCount: z.int(),
  totalNetwork: z.int(),
  totalTeamVolumeSOL: amount('SOL'),
  totalTeamVolumeUSD: amount('USD'),
});

export type Correction = z.output<typeof Correction>;
export const Correction = z.object({
  user: TreeUser,
  /** The stored counters plus the deltas that are not yet added to them. */
  stored: Figures,
  tree: Figures,
});

export const listCorrections = endpoint({
  feature: 'referrals',
  method: 'GET',
  url: '/api/referrals/reports/:id/corrections',
  access: 'platform.read',
  summary: 'List the counters that differ from the tree, a page at a time',
  params: ReportId,
  querystring: z.strictObject({ after: z.uuid().optional() }),
  answer: z.object({ corrections: z.array(Correction), next: z.uuid().nullable() }),
  refusals: { 404: { ReportNotFound } },
});

export const requestRepair = endpoint({
  feature: 'referrals',
  method: 'POST',
  url: '/api/referrals/reports/:id/repair',
  access: 'jobs.write',
  summary: 'Request approval of exactly the corrections of a report',
  params: ReportId,
  body: z.strictObject({ digest: z.string().max(100) }),
  answer: z.object({ report: TreeReport }),
  refusals: { 404: { ReportNotFound }, 409: repairRefusals },
});
