import { z } from 'zod';
import { Day, endpoint, file, Timestamp } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';
import { amount } from './core/money.ts';
import { badCursor, pageAnswer, pageQuery, Search } from './core/paging.ts';
import { RankOrNone } from './ranks.ts';
import { UserRef } from './users-ref.ts';

export type UserRole = z.output<typeof UserRole>;
export const UserRole = z.enum(['User', 'Admin']);

/** A Solana address: base58, which leaves out characters that look alike. */
export const Wallet = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, rule('must be a Solana address'));
export const ReferralCode = z.string().regex(/^[A-Z0-9]{6,12}$/, rule('must have 6 to 12 capital letters or digits'));
export const Reason = z.string().trim().min(3).max(500);

export type UserRow = z.output<typeof UserRow>;
export const UserRow = z.object({
  id: z.uuid(),
  /** The user number. */
  userId: z.string(),
  username: z.string(),
  role: UserRole,
  createdAt: Timestamp,
  isBlacklisted: z.boolean(),
});

/** Everything about a user that may be read. For a secret, only whether it is stored. */
export type User = z.output<typeof User>;
export const User = UserRow.extend({
  wallet: z.string(),
  solWalletAddress: z.string(),
  solPrivateKey: z.enum(['held', 'none']),
  password: z.enum(['set', 'none']),
  /** When an administrator last reset the password. */
  passwordResetAt: Timestamp.nullable(),
  token: z.enum(['present', 'absent']),
  referralCode: z.string(),
  referredBy: UserRef.extend({ isDeleted: z.boolean() }).nullable(),
  referralCount: z.int(),
  totalNetwork: z.int(),
  totalTeamVolumeSOL: amount('SOL'),
  totalTeamVolumeUSD: amount('USD'),
  rank: RankOrNone,
  referralBonus: amount('USD'),
  gmpEarnings: amount('GMP'),
  weeklyRankBonusEarnings: amount('USD'),
  totalStakedEarned: amount('USD'),
  taskRewards: amount('USD'),
  totalEarnings: amount('USD'),
  totalStaked: amount('USD'),
  totalDeposit: amount('USD'),
  totalWithdrawals: amount('USD'),
  /** The sum of pending withdrawals. */
  withdrawal: amount('USD'),
  available: amount('USD'),
  /** What the user owes, because they had spent payments that were reversed. */
  receivable: amount('USD'),
  receivableGmp: amount('GMP'),
  gmpShares: amount('SHARE'),
  SLX: amount('SLX'),
  blacklistReason: z.string().nullable(),
  lastActiveOn: Day.nullable(),
  updatedAt: Timestamp,
  /** A value that changes with every new photo. Null if there is none. */
  photo: z.string().nullable(),
  /** Sent back with a change, so that it cannot overwrite a change that its author has not seen. */
  version: z.int(),
});

export const UserNotFound = 'User not found.';
const UserConflict = 'Someone else has just changed this user. Check the new values and save again.';
const UserId = z.strictObject({ id: z.uuid() });

export type UserSort = z.output<typeof UserSort>;
export const UserSort = z.enum([
  '-createdAt',
  'createdAt',
  'userId',
  '-userId',
  'username',
  '-username',
  'role',
  '-role',
]);

export const listUsers = endpoint({
  feature: 'users',
  method: 'GET',
  url: '/api/users',
  access: 'platform.read',
  summary: 'List users a page at a time, newest first unless sorted otherwise',
  querystring: z.strictObject({
    ...pageQuery,
    search: Search.optional(),
    blacklisted: z.literal('yes').optional(),
    sort: UserSort.optional(),
  }),
  answer: z.object({ users: z.array(UserRow), ...pageAnswer }),
  refusals: { 422: badCursor },
});

export const readUser = endpoint({
  feature: 'users',
  method: 'GET',
  url: '/api/users/:id',
  access: 'platform.read',
  summary: 'Read a user: every figure, no secret',
  params: UserId,
  answer: z.object({ user: User }),
  refusals: { 404: { UserNotFound } },
});

export const changeUser = endpoint({
  feature: 'users',
  method: 'PATCH',
  url: '/api/users/:id',
  access: 'users.write',
  summary: 'Change the fields of a user that administrators may edit',
  params: UserId,
  body: z.strictObject({
    version: z.int(),
    role: UserRole.optional(),
    wallet: Wallet.optional(),
    referralCode: ReferralCode.optional(),
  }),
  answer: z.object({ user: User }),
  refusals: {
    404: { UserNotFound },
    409: { UserConflict, ReferralCodeTaken: 'Another user has that referral code.' },
  },
});

export const deleteUser = endpoint({
  feature: 'users',
  method: 'POST',
  url: '/api/users/:id/delete',
  access: 'users.write',
  summary: 'Delete a user; balances and history are kept',
  params: UserId,
  answer: z.object({}),
  refusals: { 404: { UserNotFound } },
});

export const setBlacklisted = endpoint({
  feature: 'users',
  method: 'POST',
  url: '/api/users/:id/blacklist',
  access: 'users.write',
  summary: 'Blacklist a user or remove them from the blacklist, with a reason',
  params: UserId,
  body: z.strictObject({ blacklisted: z.boolean(), reason: Reason }),
  answer: z.object({ user: User }),
  refusals: {
    404: { UserNotFound },
    409: { BlacklistUnchanged: 'Someone else has just done this.' },
  },
});

export const photoBytes = 2 * 1024 * 1024;
export const photoTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'] as const;

export const setPhoto = endpoint({
  feature: 'users',
  method: 'POST',
  url: '/api/users/:id/photo',
  access: 'users.write',
  summary: 'Replace the photo; the image is re-encoded',
  params: UserId,
  upload: { types: photoTypes, bytes: photoBytes },
  answer: z.object({ user: User }),
  refusals: {
    404: { UserNotFound },
    422: { NotAPhoto: 'The photo must be a JPEG, PNG, WebP or GIF image of at most 16 megapixels.' },
  },
});

export const readPhoto = endpoint({
  feature: 'users',
  method: 'GET',
  url: '/api/users/:id/photo',
  access: 'platform.read',
  summary: 'Read the re-encoded photo',
  params: UserId,
  answer: file('image/webp'),
  refusals: { 404: { UserNotFound, PhotoNotFound: 'There is no photo.' } },
});

export type Member = z.output<typeof Member>;
export const Member = UserRef.extend({
  rank: RankOrNone,
  createdAt: Timestamp,
  isBlacklisted: z.boolean(),
  isDeleted: z.boolean(),
  referralCount: z.int(),
  totalNetwork: z.int(),
  totalTeamVolumeSOL: amount('SOL'),
  totalTeamVolumeUSD: amount('USD'),
});

export const readSponsors = endpoint({
  feature: 'users',
  method: 'GET',
  url: '/api/users/:id/sponsors',
  access: 'platform.read',
  summary: 'The chain of sponsors above a user, nearest first',
  params: UserId,
  answer: z.object({
    sponsors: z.array(Member),
    /** Whether the list was cut off: the chain is longer, or it is a circle. */
    cut: z.boolean(),
  }),
  refusals: { 404: { UserNotFound } },
});

export const listTeam = endpoint({
  feature: 'users',
  method: 'GET',
  url: '/api/users/:id/team',
  access: 'platform.read',
  summary: 'The users whom a user referred, a page at a time, oldest first',
  params: UserId,
  querystring: z.strictObject(pageQuery),
  answer: z.object({ team: z.array(Member), ...pageAnswer }),
  refusals: { 404: { UserNotFound }, 422: badCursor },
});
