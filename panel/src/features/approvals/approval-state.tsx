import type { ApprovalState as Value } from 'contract/approvals.ts';
import { Status, type Tone } from '#panel/ui/status.tsx';

const tones: Record<Value, Tone> = {
  waiting: 'waiting',
  approved: 'good',
  denied: 'bad',
  expired: 'quiet',
  void: 'quiet',
};
const texts: Record<Value, string> = {
  waiting: 'Waiting',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  void: 'Superseded',
};

export function ApprovalState({ status }: { status: Value }) {
  return <Status tone={tones[status]}>{texts[status]}</Status>;
}
