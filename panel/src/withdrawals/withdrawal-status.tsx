import type { WithdrawalStatus as Value } from 'contract/withdrawals.ts';
import { Status, type Tone } from '#panel/ui/status.tsx';

const tones: Record<Value, Tone> = { Pending: 'waiting', Completed: 'good', Failed: 'bad' };

export function WithdrawalStatus({ status }: { status: Value }) {
  return <Status tone={tones[status]}>{status}</Status>;
}
