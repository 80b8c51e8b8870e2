import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { inboundLimits, inboundRefusals, itemRefusals, itemsOf, resultsOf, ShownId } from './core/inbound.ts';
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
  SelfSponsor: 'A user can’t be their own sponsor.',
} as const;

export type UserItem = z.output<typeof UserItem>;
const UserItem = z.strictObject({
  id: ShownId.describe("The platform's own ID of the user, which the panel shows as the user ID."),
  username: z.string().max(200).describe('1 to 64 characters, without blanks at its ends. Unique.'),
  role: UserRole.default('User'),
  wallet: z.string().max(200).describe('The address of the wallet to which withdrawals are paid.'),
  solWalletAddress: z.string().max(200).describe("The address of the user's wallet for SOL."),
  referralCode: z.string().max(200).describe('6 to 12 capital letters or digits. Unique.'),
  sponsor: z
    .union([z.strictObject({ id: ShownId }), z.strictObject({ referralCode: z.string().max(200) })])
    .optional()
    .describe('Who referred the user, by ID or by referral code.'),
  joinedAt: Timestamp.describe('When the user joined, in UTC.'),
});

export const storeUsers = endpoint({
  feature: 'users',
  method: 'POST',
  url: '/api/platform/users',
  access: 'users:write',
  summary: 'Add users of the platform',
  body: itemsOf(UserItem),
  bodyLimits: inboundLimits,
  answer: resultsOf(userItemRefusals),
  refusals: inboundRefusals,
  example: {
    body: {
      items: [
        {
          id: 'U10000001',
          username: 'marina',
          wallet: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
          solWalletAddress: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
          referralCode: 'MARINA01',
          joinedAt: '2026-03-01T09:30:00Z',
        },
        {
          id: 'U10000002',
          username: 'tomas',
          wallet: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
          solWalletAddress: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
          referralCode: 'TOMAS001',
          sponsor: { referralCode: 'MARINA01' },
          joinedAt: '2026-03-01T09:40:00Z',
        },
      ],
    },
    answer: {
      results: [
        { id: 'U10000001', outcome: 'stored' },
        { id: 'U10000002', outcome: 'stored' },
      ],
    },
  },
});
