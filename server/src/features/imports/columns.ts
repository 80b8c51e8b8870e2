import { TicketStatus } from 'contract/tickets.ts';
import { WithdrawalStatus } from 'contract/withdrawal-states.ts';
import { StakeStatus } from 'contract/staking.ts';
import { RankOrNone } from 'contract/ranks.ts';
import { UserRole } from 'contract/users.ts';
import type { Part } from './files.ts';
import { amount, day, days, oneOf, rate, type Read, referralCode, text, time, wallet } from './values.ts';

/** A column of a file: the column that it is staged in, how it is read, and what stands for an empty value. */
export type Column = { into: string; read: Read; isNeeded: boolean; ifEmpty: string | number | null };

const needed = (into: string, read: Read): Column => ({ into, read, isNeeded: true, ifEmpty: null });
const optional = (into: string, read: Read, ifEmpty: string | number | null = null): Column => ({
  into,
  read,
  isNeeded: false,
  ifEmpty,
});

const name = text(64);

/** All columns of all files. `docs/import.md` describes them. */
export const columns: Record<Part, Record<string, Column>> = {
  users: {
    userId: needed('user_id', name),
    username: needed('username', name),
    wallet: needed('wallet', wallet),
    solWalletAddress: optional('sol_wallet_address', wallet),
    referralCode: needed('referral_code', referralCode),
    createdAt: needed('created_at', time),
    sponsor: optional('sponsor', name),
    role: optional('role', oneOf(UserRole.options), 'User'),
    rank: optional('rank', oneOf(RankOrNone.options), 'none'),
    gmpShares: optional('gmp_shares', amount('SHARE', 'zero'), 0),
    lastActiveOn: optional('last_active_on', day),
    blacklistedAt: optional('blacklisted_at', time),
    blacklistReason: optional('blacklist_reason', text(500)),
    solPrivateKey: optional('sol_private_key', text(1_000)),
  },
  balances: {
    userId: needed('user_id', name),
    asset: needed('asset', oneOf(['USD', 'GMP', 'SLX'])),
    // Read with the decimals of the asset.
    amount: needed('units', text(40)),
  },
  stakes: {
    stakeId: needed('stake_id', name),
    userId: needed('user_id', name),
    amountUsd: needed('amount_usd', amount('USD', 'more than zero')),
    amountSol: optional('amount_sol', amount('SOL', 'zero'), 0),
    days: needed('days', days),
    dailyRate: needed('daily_rate_ppm', rate),
    status: needed('status', oneOf(StakeStatus.options)),
    createdAt: needed('created_at', time),
    endsOn: optional('ends_on', day),
    completedAt: optional('completed_at', time),
  },
  withdrawals: {
    withdrawalId: needed('withdrawal_id', name),
    userId: needed('user_id', name),
    amountUsd: needed('amount_usd', amount('USD', 'more than zero')),
    wallet: needed('wallet', text(100)),
    status: needed('status', oneOf(WithdrawalStatus.options)),
    createdAt: needed('created_at', time),
    decidedAt: optional('decided_at', time),
    reason: optional('reason', text(500)),
    signature: optional('signature', text(200)),
  },
  tickets: {
    ticketId: needed('ticket_id', name),
    userId: needed('user_id', name),
    subject: needed('subject', text(200)),
    description: needed('description', text(5_000)),
    status: needed('status', oneOf(TicketStatus.options)),
    response: optional('response', text(5_000)),
    createdAt: needed('created_at', time),
  },
};
