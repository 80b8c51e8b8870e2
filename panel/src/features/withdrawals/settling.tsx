import { Link } from '@tanstack/react-router';
import { type Outcome, refuseSettling } from 'contract/withdrawal-states.ts';
import type { Withdrawal } from 'contract/withdrawals.ts';
import { settleWithdrawal } from 'contract/withdrawals-settlement.ts';
import { lazy, Suspense, useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';
import { exactUtc } from '#panel/ui/time-text.ts';
import { useDisabledReason } from './deciding.tsx';

// Loaded on first use, so that the drawer opens faster.
const SettleForm = lazy(async () => ({ default: (await import('./settle-form.tsx')).SettleForm }));

const actions: Record<Outcome, { label: string; title: string }> = {
  sent: { label: 'Mark as sent', title: 'Mark as Sent' },
  confirmed: { label: 'Confirm', title: 'Confirm Withdrawal' },
  unknown: { label: 'Mark as unknown', title: 'Mark as Unknown' },
  failed: { label: 'Report failure', title: 'Report Failure' },
};

const refusals = settleWithdrawal.refusals[409];

/** The actions for an approved withdrawal whose outcome is not known yet. Only those that are possible are shown. */
export function SettleButtons({ withdrawal }: { withdrawal: Withdrawal }) {
  const [outcome, setOutcome] = useState<Outcome>();
  // The closing animation still shows the question.
  const [last, setLast] = useState<Outcome>('sent');
  const denied = useDisabledReason();
  const possible = (Object.keys(actions) as Outcome[]).filter(
    (it) => !refuseSettling(withdrawal, { outcome: it, by: 'administrator' }),
  );
  const [primary] = possible;
  return (
    <>
      <FailureRequested withdrawal={withdrawal} />
      <div className="overlay-foot">
        {possible.map((it) => (
          <Button
            key={it}
            {...(it !== primary && { variant: 'default' })}
            disabledReason={denied ?? (it === 'failed' && withdrawal.waitsUntil ? refusals.ApprovalWaiting : undefined)}
            onClick={() => {
              setLast(it);
              setOutcome(it);
            }}
          >
            {actions[it].label}
          </Button>
        ))}
      </div>
      <Modal title={actions[last].title} opened={outcome !== undefined} onClose={() => setOutcome(undefined)}>
        <Suspense fallback={<SkeletonLines lines={4} />}>
          <SettleForm
            key={last}
            withdrawal={withdrawal}
            outcome={last}
            submitLabel={actions[last].label}
            onDone={() => setOutcome(undefined)}
          />
        </Suspense>
      </Modal>
    </>
  );
}

function FailureRequested({ withdrawal: it }: { withdrawal: Withdrawal }) {
  if (!it.waitsUntil || !it.waitingApproval) return null;
  return (
    <Notice tone="waiting">
      {it.failureRequestedBy} reported that it failed: “{it.reason}” The money returns to the user if a second approver
      agrees by {exactUtc(it.waitsUntil)}.{' '}
      <Link to="/dashboard/approvals" search={{ approval: it.waitingApproval }} className="withdrawal-link">
        View request
      </Link>
    </Notice>
  );
}
