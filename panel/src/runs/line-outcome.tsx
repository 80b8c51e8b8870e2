import { type RunLine, skipWords } from 'contract/runs.ts';
import { Status } from '#panel/ui/status.tsx';

export function LineOutcome({ line: { skip, paid } }: { line: Pick<RunLine, 'skip' | 'paid'> }) {
  if (skip !== null) return <Status tone="quiet">{skipWords[skip]}</Status>;
  return paid ? <Status tone="good">Posted</Status> : <Status tone="waiting">Planned</Status>;
}
