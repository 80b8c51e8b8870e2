import type { StakeStatus as Value } from 'contract/staking.ts';
import { Status, type Tone } from '#panel/ui/status.tsx';

/** Completed is muted, so that the stake does not look as if it still earned rewards. */
const tones: Record<Value, Tone> = { Active: 'good', Completed: 'quiet' };

export function StakeStatus({ status }: { status: Value }) {
  return <Status tone={tones[status]}>{status}</Status>;
}
