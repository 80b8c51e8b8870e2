import type { WithdrawalState } from './items.ts';

/** The id of the row in Bursar, the platform's own id, and the name. */
type User = { userUuid: string; userId: string; username: string };

type Withdrawal = User & {
  withdrawalId: string;
  /** The id under which the platform sent it. Null if the platform did not send it. */
  platformId: string | null;
  amount: string;
  asset: 'USD';
  wallet: string;
  status: 'Pending' | 'Completed' | 'Failed';
  state: WithdrawalState;
  /** Whether the platform is asked to send it. Report the outcome then. */
  isAsked: boolean;
  reason: string | null;
  reference: string | null;
};

/** A chunk of a run: some thousand payments, which `paymentsOf` lists. */
export type Payments = {
  runId: string;
  kind: 'stake-payout' | 'gmp-distro' | 'referral-check' | 'rank-bonus';
  period: string;
  day: string;
  chunk: number;
  asset: 'USD' | 'SOL' | 'GMP' | 'SLX' | 'SHARE';
  count: number;
  amount: string;
  setAside: string;
  payments: string;
};

/** The data of each type of event. Amounts are decimal text, times are ISO 8601. */
export type EventData = {
  'user.blacklisted': User & { isBlacklisted: boolean; reason: string | null };
  'user.changed': User & {
    changed: ('role' | 'wallet' | 'referralCode' | 'rank' | 'isDeleted' | 'password')[];
    role: string;
    wallet: string;
    referralCode: string;
    rank: 'none' | 'Silver' | 'Gold' | 'Platinum';
    isDeleted: boolean;
  };
  'withdrawal.approved': Withdrawal;
  'withdrawal.rejected': Withdrawal;
  'withdrawal.confirmed': Withdrawal;
  'withdrawal.failed': Withdrawal;
  'stake.completed': {
    runId: string;
    day: string;
    count: number;
    stakes: { id: string; stakeId: string; userUuid: string; userId: string; amount: string }[];
  };
  'payment.made': Payments;
  'payment.reversed': Payments & { reverses: string; reason: string | null };
  'ticket.replied': {
    ticketId: string;
    /** The id under which the platform sent the ticket. Null if the platform did not send it. */
    platformId: string | null;
    username: string;
    type: string;
    status: 'open' | 'in_progress' | 'awaiting_user' | 'resolved' | 'closed' | 'rejected';
    reply: { id: string; sender: string; message: string; createdAt: string };
  };
  'maintenance.changed': { active: boolean; endsAt: string | null };
  'withdrawals.switched': { enabled: boolean };
  'webhook.test': { webhookId: string };
};

export type EventType = keyof EventData;

/** An event as webhooks and the cursor give it. A later version of Bursar has more types. */
export type PlatformEvent = {
  /** The same in every attempt and replay. Ignore an id that you have handled. */
  id: string;
  /** Grows in the order in which events were committed. */
  seq: string;
  type: string;
  /** The user, withdrawal, run or ticket. Events of one subject arrive in order. */
  subjectId: string;
  timestamp: string;
  data: Record<string, unknown>;
};

export type EventOf<Type extends EventType> = Omit<PlatformEvent, 'type' | 'data'> & {
  type: Type;
  data: EventData[Type];
};

/** Whether an event has this type. TypeScript then knows its data. */
export function isEvent<Type extends EventType>(event: object & { type: string }, type: Type): event is EventOf<Type> {
  return event.type === type;
}
