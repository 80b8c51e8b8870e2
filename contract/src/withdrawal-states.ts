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

/** Returns why an outcome cannot be recorded. The panel disables its buttons with it; the server refuses with it. */
export function refuseSettling(state: WithdrawalState, outcome: Outcome) {
  if (isFinal(state)) return 'WithdrawalSettled' as const;
  if (!isOpen(state)) return 'NotApproved' as const;
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
