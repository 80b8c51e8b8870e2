import type { TicketStatus as Value } from 'contract/tickets.ts';
import { Status, type Tone } from '#panel/ui/status.tsx';

const tones: Record<Value, Tone> = {
  open: 'waiting',
  in_progress: 'moving',
  awaiting_user: 'waiting',
  resolved: 'good',
  closed: 'quiet',
  rejected: 'bad',
};

export function TicketStatus({ status }: { status: Value }) {
  return <Status tone={tones[status]}>{status}</Status>;
}
