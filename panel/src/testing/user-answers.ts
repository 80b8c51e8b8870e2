import { listStakes } from 'contract/staking.ts';
import { listUsers, readUser, type User } from 'contract/users.ts';
import { readKeyReveal } from 'contract/users-secrets.ts';
import { type Admin, answerFrame } from './app.ts';
import { freshId, longAgo, onePage } from './list-answers.ts';
import { answer } from './server.ts';

export const user = (given: Partial<User> = {}): User => ({
  id: freshId(),
  userId: '100007',
  username: 'milancosta',
  role: 'User',
  createdAt: longAgo,
  isBlacklisted: false,
  wallet: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
  solWalletAddress: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
  solPrivateKey: 'held',
  password: 'set',
  passwordResetAt: null,
  token: 'absent',
  referralCode: 'ABC234',
  referredBy: null,
  referralCount: 0,
  totalNetwork: 0,
  totalTeamVolumeSOL: 0n,
  totalTeamVolumeUSD: 0n,
  rank: 'none',
  referralBonus: 0n,
  gmpEarnings: 0n,
  weeklyRankBonusEarnings: 0n,
  totalStakedEarned: 0n,
  taskRewards: 0n,
  totalEarnings: 0n,
  totalStaked: 0n,
  totalDeposit: 0n,
  totalWithdrawals: 0n,
  withdrawal: 0n,
  available: 0n,
  receivable: 0n,
  receivableGmp: 0n,
  gmpShares: 0n,
  SLX: 0n,
  blacklistReason: null,
  lastActiveOn: null,
  updatedAt: longAgo,
  photo: null,
  version: 1,
  ...given,
});

/** Sets the responses for the list, and for each profile with its first tab. */
export function answerUsers(users: readonly User[], admin?: Admin) {
  answerFrame(admin);
  answer(listUsers, () => ({ users: [...users], ...onePage(users) }));
  answer(readUser, ({ params }) => ({ user: users.find(({ id }) => id === params.id) ?? user({ id: params.id }) }));
  answer(readKeyReveal, { reveal: null });
  answer(listStakes, { stakes: [], ...onePage([]) });
}
