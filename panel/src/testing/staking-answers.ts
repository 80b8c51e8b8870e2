import { listPlans, listStakes, type Plan, readStake, readStakingFigures, type Stake } from 'contract/staking.ts';
import { type Admin, answerFrame } from './app.ts';
import { freshId, longAgo, onePage } from './list-answers.ts';
import { answer } from './server.ts';

export const stake = (given: Partial<Stake> = {}): Stake => ({
  id: freshId(),
  stakeId: '100042',
  user: 'milancosta',
  userUuid: freshId(),
  amount: 1_000_000_000n,
  amountSOL: 5_000_000_000n,
  date: longAgo,
  duration: '30 days',
  dailyRate: 12_000,
  endsOn: '2026-12-01',
  completedAt: null,
  status: 'Active',
  solWalletAddress: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
  totalStaked: 1_000_000_000n,
  totalDeposit: 1_000_000_000n,
  walletBalance: 0n,
  totalEarnings: 0n,
  ...given,
});

export const plan = (given: Partial<Plan> = {}): Plan => ({
  id: freshId(),
  days: 30,
  dailyRate: 12_000,
  offered: true,
  waiting: null,
  createdAt: longAgo,
  ...given,
});

export function answerStaking(rows: { stakes?: readonly Stake[]; plans?: readonly Plan[] } = {}, admin?: Admin) {
  const { stakes = [stake()], plans = [plan()] } = rows;
  answerFrame(admin);
  answer(listStakes, () => ({ stakes: [...stakes], ...onePage(stakes) }));
  answer(readStake, ({ params }) => ({ stake: stakes.find(({ id }) => id === params.id) ?? stake({ id: params.id }) }));
  answer(readStakingFigures, {
    total: 1,
    active: 1,
    completed: 0,
    totalStaked: 1_000_000_000n,
    activeStaked: 1_000_000_000n,
  });
  answer(listPlans, () => ({ plans: [...plans] }));
}
