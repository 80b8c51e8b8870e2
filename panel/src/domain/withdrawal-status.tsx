import { isOpen, type OpenState, type WithdrawalStatus as Value } from 'contract/withdrawal-states.ts';
import type { Withdrawal } from 'contract/withdrawals.ts';
import { Status, type Tone } from '#panel/ui/status.tsx';
import './withdrawal-marks.css';

const tones: Record<Value, Tone> = { Pending: 'waiting', Completed: 'good', Failed: 'bad' };

export function WithdrawalStatus({ status }: { status: Value }) {
  return <Status tone={tones[status]}>{status}</Status>;
}

/** The states that the three statuses of the specification do not tell apart from others. */
const openStates: Record<OpenState, string> = { approved: 'Not sent yet', sent: 'Sent', unknown: 'Unknown' };

/** A withdrawal that is approved, or waits for a second approver, is still Pending, but must not look like a new one. */
export function WithdrawalState({ withdrawal }: { withdrawal: Pick<Withdrawal, 'status' | 'state' | 'waitsUntil'> }) {
  const { state } = withdrawal;
  return (
    <span className="withdrawal-state">
      <WithdrawalStatus status={withdrawal.status} />
      {isOpen(state) && (
        <span className="withdrawal-open" data-state={state}>
          {openStates[state]}
        </span>
      )}
      {withdrawal.waitsUntil && (
        <span className="withdrawal-waits" title="Waiting for second approver">
          Second approver
        </span>
      )}
    </span>
  );
}
