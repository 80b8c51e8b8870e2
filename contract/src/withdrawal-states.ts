import { z } from 'zod';

export type WithdrawalState = z.output<typeof WithdrawalState>;
export const WithdrawalState = z.enum(['requested', 'approved', 'sent', 'unknown', 'confirmed', 'failed', 'rejected']);

/** The status of the specification. The database derives it from the state in the same way. */
export type WithdrawalStatus = z.output<typeof WithdrawalStatus>;
export const WithdrawalStatus = z.enum(['Pending', 'Completed', 'Failed']);

export const statusOf: Record<WithdrawalState, WithdrawalStatus> = {
  requested: 'Pending',
  approved: 'Pending',
  sent: 'Pending',
  unknown: 'Pending',
  confirmed: 'Completed',
  failed: 'Failed',
  rejected: 'Failed',
};

/** Who sends an approved withdrawal: an administrator, who pays it elsewhere, or the platform. */
export type WithdrawalMode = z.output<typeof WithdrawalMode>;
export const WithdrawalMode = z.enum(['manual', 'platform']);

/** Who reported what became of an approved withdrawal. The clock reports only that nothing was heard in time. */
export type SettlementSource = z.output<typeof SettlementSource>;
export const SettlementSource = z.enum(['administrator', 'platform', 'clock']);

/** What can be reported about an approved withdrawal. */
export type Outcome = z.output<typeof Outcome>;
export const Outcome = z.enum(['sent', 'confirmed', 'failed', 'unknown']);

/** The states in which an approved withdrawal waits for its outcome. */
export type OpenState = z.output<typeof OpenState>;
export const OpenState = z.enum(['approved', 'sent', 'unknown']);

type Transition = {
  /** Null for the creation of a withdrawal. */
  from: WithdrawalState | null;
  event: string;
  to: WithdrawalState;
  who: readonly ('administrator' | 'second approver' | 'platform' | 'clock')[];
};

/**
 * All transitions of a withdrawal. The server and the database (table withdrawal_transition) allow no others, and
 * docs/withdrawals.md shows them. No transition leads back to a state from which a withdrawal can be sent.
 */
const table = [
  { from: null, event: 'request', to: 'requested', who: ['platform'] },
  { from: 'requested', event: 'approve', to: 'approved', who: ['administrator', 'second approver'] },
  { from: 'requested', event: 'approve with reference', to: 'confirmed', who: ['administrator', 'second approver'] },
  { from: 'requested', event: 'reject', to: 'rejected', who: ['administrator'] },
  { from: 'approved', event: 'send', to: 'sent', who: ['administrator', 'platform'] },
  { from: 'approved', event: 'lose track', to: 'unknown', who: ['administrator', 'platform', 'clock'] },
  { from: 'approved', event: 'confirm', to: 'confirmed', who: ['administrator', 'platform'] },
  { from: 'approved', event: 'fail', to: 'failed', who: ['administrator', 'second approver', 'platform'] },
  { from: 'sent', event: 'lose track', to: 'unknown', who: ['administrator', 'platform', 'clock'] },
  { from: 'sent', event: 'confirm', to: 'confirmed', who: ['administrator', 'platform'] },
  { from: 'sent', event: 'fail', to: 'failed', who: ['second approver', 'platform'] },
  { from: 'unknown', event: 'confirm', to: 'confirmed', who: ['administrator', 'platform'] },
  { from: 'unknown', event: 'fail', to: 'failed', who: ['second approver', 'platform'] },
] as const satisfies readonly Transition[];

export const withdrawalTransitions: readonly Transition[] = table;

/** Whether nothing changes any more: no transition leads out of the state. */
export const isFinal = (state: WithdrawalState) => withdrawalTransitions.every(({ from }) => from !== state);

/** Whether the withdrawal was approved and waits for its outcome. */
export const isOpen = (state: WithdrawalState): state is OpenState => OpenState.safeParse(state).success;

type Reported = { outcome: Outcome; by: 'administrator' | 'platform' };
type Open = { state: WithdrawalState; askedAt: Date | null; sentAt: Date | null };

/**
 * Whether the platform reports that it sent a withdrawal which had become unknown. The withdrawal stays unknown, but from
 * then on its reference is known, so that nobody returns the money without having seen it.
 */
export const isLateSending = ({ state, sentAt }: Open, { outcome, by }: Reported) =>
  by === 'platform' && outcome === 'sent' && state === 'unknown' && sentAt === null;

/**
 * Returns why an outcome cannot be recorded. The panel disables its buttons with it; the server refuses with it. While
 * the platform is expected to send a withdrawal, only the platform says that it was sent: an administrator who paid it
 * too would pay twice, and one who named a wrong reference would make the reports of the platform contradict it.
 */
export function refuseSettling(withdrawal: Open, reported: Reported) {
  const { state, askedAt } = withdrawal;
  const { outcome, by } = reported;
  if (isFinal(state)) return 'WithdrawalSettled' as const;
  if (!isOpen(state)) return 'NotApproved' as const;
  if (isLateSending(withdrawal, reported)) return undefined;
  const saysSent = outcome === 'sent' || outcome === 'confirmed';
  if (by === 'administrator' && askedAt !== null && state === 'approved' && saysSent) return 'PlatformSends' as const;
  return withdrawalTransitions.some(({ from, to }) => from === state && to === outcome)
    ? undefined
    : ('OutcomeNotPossible' as const);
}

/**
 * Whether an administrator needs a second approver to report that a withdrawal failed. The money returns to the user, so
 * a false report would pay twice, unless nobody can have sent it.
 */
export const failureNeedsApproval = ({ state, askedAt }: { state: WithdrawalState; askedAt: Date | null }) =>
  state !== 'approved' || askedAt !== null;
