import type { StakeStatus } from 'contract/staking.ts';
import type { TicketStatus } from 'contract/tickets.ts';
import type { WithdrawalStatus } from 'contract/withdrawals.ts';
import type { Tone } from '#panel/ui/status.tsx';

/** The same tones as in the lists that these rows come from; a task has the two words of a stake. */
export const tones: Record<StakeStatus | WithdrawalStatus | TicketStatus, Tone> = {
  Active: 'good',
  Completed: 'good',
  Pending: 'waiting',
  Failed: 'bad',
  open: 'waiting',
  in_progress: 'moving',
  awaiting_user: 'waiting',
  resolved: 'good',
  closed: 'quiet',
  rejected: 'bad',
};
