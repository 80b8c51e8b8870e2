import type { StakeStatus } from 'contract/staking.ts';
import type { TicketStatus } from 'contract/tickets.ts';
import type { Tone } from '#panel/ui/status.tsx';

// The tones match those of the features' own lists.

/** For stakes and tasks, which have the same statuses. Completed means finished here, but paid for a withdrawal. */
export const lifeTones: Record<StakeStatus, Tone> = { Active: 'good', Completed: 'quiet' };

export const ticketTones: Record<TicketStatus, Tone> = {
  open: 'waiting',
  in_progress: 'moving',
  awaiting_user: 'waiting',
  resolved: 'good',
  closed: 'quiet',
  rejected: 'bad',
};
