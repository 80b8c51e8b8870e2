import type { StakeStatus as Value } from 'contract/staking.ts';
import { Status, type Tone } from '#panel/ui/status.tsx';

const tones: Record<Value, Tone> = { Active: 'good', Completed: 'good' };

export function StakeStatus({ status }: { status: Value }) {
  return <Status tone={tones[status]}>{status}</Status>;
}
