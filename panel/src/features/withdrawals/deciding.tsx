import { Link } from '@tanstack/react-router';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { approveWithdrawal, refuseRejecting, rejectWithdrawal, type Withdrawal } from 'contract/withdrawals.ts';
import { useState } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { exactUtc } from '#panel/ui/time-text.ts';
import type { DecisionRequest } from './decide-form.tsx';
import { DecideModal } from './decide-modal.tsx';

/** Returns why this administrator cannot decide, with the text that the server would refuse with. */
export function useDisabledReason() {
  return holds(useMe(), 'money.prepare') ? undefined : anyCallRefusals[403].PermissionDenied;
}

/** The actions for an undecided withdrawal. */
export function DecideButtons({ withdrawal }: { withdrawal: Withdrawal }) {
  const [request, setRequest] = useState<DecisionRequest>();
  const denied = useDisabledReason();
  const waits = withdrawal.waitsUntil ? approveWithdrawal.refusals[409].ApprovalWaiting : undefined;
  const refusal = refuseRejecting(withdrawal);
  return (
    <div className="overlay-foot">
      <Button
        disabledReason={denied ?? waits}
        onClick={() => setRequest({ decision: 'approve', withdrawals: [withdrawal] })}
      >
        Approve
      </Button>
      <Button
        variant="default"
        disabledReason={denied ?? (refusal && rejectWithdrawal.refusals[409][refusal])}
        onClick={() => setRequest({ decision: 'reject', withdrawals: [withdrawal] })}
      >
        Reject
      </Button>
      <DecideModal request={request} onClose={() => setRequest(undefined)} />
    </div>
  );
}

export function Undecided({ withdrawal: { waitsUntil, waitingApproval, preparedBy } }: { withdrawal: Withdrawal }) {
  if (!waitsUntil || !waitingApproval) return <p className="withdrawal-quiet">Not decided yet.</p>;
  return (
    <Notice tone="waiting">
      {preparedBy} requested a second approval. It expires at {exactUtc(waitsUntil)}.{' '}
      <Link to="/dashboard/approvals" search={{ approval: waitingApproval }} className="withdrawal-link">
        View request
      </Link>
    </Notice>
  );
}
