import type { WithdrawalStatus as Value, Withdrawal } from 'contract/withdrawals.ts';
import { Status, type Tone } from '#panel/ui/status.tsx';
import './withdrawal-marks.css';

const tones: Record<Value, Tone> = { Pending: 'waiting', Completed: 'good', Failed: 'bad' };

export function WithdrawalStatus({ status }: { status: Value }) {
  return <Status tone={tones[status]}>{status}</Status>;
}

/** A withdrawal that waits for a second approver is still Pending, but must look different from a new one. */
export function WithdrawalState({ withdrawal }: { withdrawal: Pick<Withdrawal, 'status' | 'waitsUntil'> }) {
  return (
    <span className="withdrawal-state">
      <WithdrawalStatus status={withdrawal.status} />
      {withdrawal.waitsUntil && (
        <span className="withdrawal-waits" title="Waiting for second approver">
          Second approver
        </span>
      )}
    </span>
  );
}
