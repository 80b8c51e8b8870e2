import type { StakeStatus } from 'contract/staking.ts';
import type { TicketStatus } from 'contract/tickets.ts';
import type { Tone } from '#panel/ui/status.tsx';

// The same tones as in the lists that these rows come from.

/** A task has the two words of a stake. Completed means "over" for both, and "paid" for a withdrawal. */
export const lifeTones: Record<StakeStatus, Tone> = { Active: 'good', Completed: 'quiet' };

export const ticketTones: Record<TicketStatus, Tone> = {
  open: 'waiting',
  in_progress: 'moving',
  awaiting_user: 'waiting',
  resolved: 'good',
  closed: 'quiet',
  rejected: 'bad',
};
