import { z } from 'zod';
import { Waiting } from './approvals.ts';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { badCursor, pageAnswer, pageQuery } from './core/paging.ts';
import { Rank, RankMove, RankMoveFigures, RankOrNone, RankStay } from './ranks.ts';
import { Reason, User, UserNotFound } from './users.ts';
import { UserRef } from './users-ref.ts';

export const promoteUser = endpoint({
  feature: 'users',
  method: 'POST',
  url: '/api/users/promote',
  access: 'jobs.write',
  summary: 'Request a rank for one user, with a reason',
  body: z.strictObject({ userId: z.string().trim().min(1).max(64), newRank: Rank, reason: Reason }),
  answer: z.object({ user: User, waiting: Waiting }),
  refusals: { 404: { UserNotFound }, 409: { RankUnchanged: 'This user holds that rank already.' } },
});

export const listRankMoves = endpoint({
  feature: 'users',
  method: 'GET',
  url: '/api/users/rank-moves',
  access: 'platform.read',
  summary: 'List users eligible for promotion a page at a time, most direct referrals first',
  querystring: z.strictObject(pageQuery),
  answer: z.object({ moves: z.array(RankMove), version: z.int(), ...pageAnswer }),
  refusals: { 422: badCursor },
});

export const readRankMoveFigures = endpoint({
  feature: 'users',
  method: 'GET',
  url: '/api/users/rank-moves/figures',
  access: 'platform.read',
  summary: 'How many would move from which rank to which by the thresholds in force, and what that would cost',
  answer: RankMoveFigures,
  refusals: {},
});

export const promoteMovers = endpoint({
  feature: 'users',
  method: 'POST',
  url: '/api/users/rank-moves',
  access: 'jobs.write',
  summary: 'Request the promotion of users to the ranks in the preview; users who no longer qualify are skipped',
  body: z.strictObject({
    version: z.int(),
    moves: z
      .array(z.strictObject({ id: z.uuid(), to: Rank }))
      .min(1)
      .max(100),
  }),
  /** Nothing waits if none of the users qualifies any more. */
  answer: z.object({ requested: z.int(), stayed: z.array(RankStay), waiting: Waiting.nullable() }),
  refusals: {
    409: { ThresholdsChanged: 'Someone else has just saved other thresholds. Check again who would be promoted.' },
  },
});

export type RankChange = z.output<typeof RankChange>;
export const RankChange = z.object({
  id: z.uuid(),
  user: UserRef,
  from: RankOrNone,
  to: RankOrNone,
  reason: z.string(),
  by: z.string(),
  /** Null for changes that were made before promotions needed a second approver. */
  approvedBy: z.string().nullable(),
  at: Timestamp,
});

export const listRankChanges = endpoint({
  feature: 'users',
  method: 'GET',
  url: '/api/users/rank-changes',
  access: 'platform.read',
  summary: 'The latest changes of rank, newest first: of everyone or of one user',
  querystring: z.strictObject({ user: z.uuid().optional(), before: z.uuid().optional() }),
  answer: z.object({
    changes: z.array(RankChange),
    /** Pass it as `before` to get the next older changes. */
    olderThan: z.uuid().nullable(),
  }),
  refusals: {},
});
