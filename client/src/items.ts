/** An amount as decimal text without an exponent: at most 6 decimals for USD and GMP, none for SLX and SHARE. */
export type Amount = string;

/** A time in UTC, as `Date.toISOString` writes it. */
export type Time = string;

export type UserItem = {
  /** The platform's own id of the user, which administrators see: 1 to 64 visible ASCII characters. */
  id: string;
  username: string;
  role?: 'User' | 'Admin' | undefined;
  wallet: string;
  solWalletAddress: string;
  /** 6 to 12 capital letters or digits. */
  referralCode: string;
  /** Who referred the user. Send the sponsor first. */
  sponsor?: { id: string } | { referralCode: string } | undefined;
  joinedAt: Time;
};

export type DepositItem = {
  id: string;
  user: string;
  /** A deposit of SOL is sent as the dollars that it was worth. */
  asset: 'USD' | 'GMP' | 'SLX' | 'SHARE';
  amount: Amount;
  at: Time;
};

export type StakeItem = {
  /** The platform's own id of the stake, which administrators see: 1 to 64 visible ASCII characters. */
  id: string;
  user: string;
  /** In dollars. */
  amount: Amount;
  /** What the user paid in for it, in SOL. */
  amountSol?: Amount | undefined;
  days: number;
  /** In percent. Needed only if several plans with these days are offered. */
  dailyRate?: number | undefined;
  placedAt: Time;
};

export type StakeEnd = {
  /** The id of the stake. */
  id: string;
  endedAt: Time;
};

export type WithdrawalItem = {
  id: string;
  user: string;
  /** Only USD can be withdrawn; anything else is refused as AssetNotPayable. */
  asset: 'USD' | 'GMP' | 'SLX' | 'SOL' | 'SHARE';
  amount: Amount;
  /** Where it is to be paid. */
  wallet: string;
  at: Time;
};

export type TicketItem = {
  id: string;
  user: string;
  /** Shown as the subject. */
  type: string;
  description: string;
  at: Time;
};

export type MessageItem = {
  id: string;
  /** The id under which the ticket was sent. Its user is the sender. */
  ticket: string;
  message: string;
  at: Time;
};

export type SubmissionItem = {
  id: string;
  user: string;
  /** Where the user did what the task asks for. */
  postUrl: string;
  title: string;
  description?: string | undefined;
  /** In dollars. An administrator decides whether it is paid. */
  reward: Amount;
  /** A day: YYYY-MM-DD. */
  deadline: string;
  at: Time;
};

export type ActivityItem = {
  id: string;
  user: string;
  type: ActivityType;
  at: Time;
};

export type ActivityType =
  | 'Login'
  | 'Sign-up'
  | 'Purchases'
  | 'Messages'
  | 'Support'
  | 'Browsing'
  | 'Checkout'
  | 'Referrals'
  | 'Edits';

/** What became of an item. */
export type Result<Code extends string> =
  | { id: string; outcome: 'stored' | 'duplicate' }
  | { id: string; outcome: 'refused'; code: Code; reason: string };

type AnyRefusal = 'IdReused' | 'TimeInvalid';
type OfUser = 'UserUnknown' | 'UserDeleted';

export type UserRefusal =
  | AnyRefusal
  | 'WalletInvalid'
  | 'UsernameInvalid'
  | 'UsernameTaken'
  | 'ReferralCodeInvalid'
  | 'ReferralCodeTaken'
  | 'SponsorUnknown'
  | 'SelfSponsor';
export type DepositRefusal = AnyRefusal | OfUser | 'AmountInvalid';
export type StakeRefusal = DepositRefusal | 'BalanceTooLow' | 'PlanNotOffered' | 'PlanAmbiguous' | 'PlacedTooLate';
export type StakeEndRefusal = AnyRefusal | 'StakeUnknown' | 'StakeCompleted' | 'StakeMatured';
export type WithdrawalRefusal = DepositRefusal | 'BalanceTooLow' | 'WalletInvalid' | 'AssetNotPayable';
export type TicketRefusal = AnyRefusal | OfUser | 'TextInvalid';
export type MessageRefusal = AnyRefusal | 'TextInvalid' | 'TicketUnknown';
export type SubmissionRefusal = DepositRefusal | 'TextInvalid' | 'UrlInvalid';
export type ActivityRefusal = AnyRefusal | OfUser | 'TooOld';

export type WithdrawalState = 'requested' | 'approved' | 'sent' | 'unknown' | 'confirmed' | 'failed' | 'rejected';

/** What became of a withdrawal that the platform was asked to send. */
export type Outcome = {
  outcome: 'sent' | 'unknown' | 'confirmed' | 'failed';
  /** The reference of the transaction. Required for `sent`, and for `confirmed` unless it is already known. */
  reference?: string | undefined;
  /** Required for `failed`. */
  reason?: string | undefined;
};
