import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { inboundBytes, inboundRefusals, itemRefusals, itemsOf, resultsOf, ShownId } from './core/inbound.ts';
import { UserRole } from './users.ts';

const { IdReused, TimeInvalid, WalletInvalid } = itemRefusals;

export const userItemRefusals = {
  IdReused,
  TimeInvalid,
  WalletInvalid,
  UsernameInvalid: 'The username must have 1 to 64 characters, without blanks at its ends.',
  UsernameTaken: 'Another user has this username.',
  ReferralCodeInvalid: 'The referral code must have 6 to 12 capital letters or digits.',
  ReferralCodeTaken: 'Another user has this referral code.',
  SponsorUnknown: 'No user has this ID or referral code. Send the sponsor first.',
  SelfSponsor: 'Nobody refers themselves.',
} as const;

export type UserItem = z.output<typeof UserItem>;
const UserItem = z.strictObject({
  /** The user number. */
  id: ShownId,
  username: z.string().max(200),
  role: UserRole.default('User'),
  wallet: z.string().max(200),
  solWalletAddress: z.string().max(200),
  referralCode: z.string().max(200),
  /** Who referred the user, by ID or by referral code. */
  sponsor: z.union([z.strictObject({ id: ShownId }), z.strictObject({ referralCode: z.string().max(200) })]).optional(),
  joinedAt: Timestamp,
});

export const storeUsers = endpoint({
  feature: 'users',
  method: 'POST',
  url: '/api/platform/users',
  access: 'users:write',
  summary: 'Add users of the platform',
  body: itemsOf(UserItem),
  bodyBytes: inboundBytes,
  answer: resultsOf(userItemRefusals),
  refusals: inboundRefusals,
});
