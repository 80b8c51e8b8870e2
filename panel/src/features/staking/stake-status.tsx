import type { StakeStatus as Value } from 'contract/staking.ts';
import { Status, type Tone } from '#panel/ui/status.tsx';

/** A completed stake is over: it must not look like one that still earns. */
const tones: Record<Value, Tone> = { Active: 'good', Completed: 'quiet' };

export function StakeStatus({ status }: { status: Value }) {
  return <Status tone={tones[status]}>{status}</Status>;
}
