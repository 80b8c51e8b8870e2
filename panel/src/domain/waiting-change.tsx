import type { Waiting } from 'contract/approvals.ts';
import { lazy, Suspense } from 'react';

// Loaded on demand, because a change rarely waits for approval.
const WaitingNotice = lazy(async () => ({ default: (await import('./waiting-notice.tsx')).WaitingNotice }));

/** Shows a change that waits for approval, beside what it would change. */
export function WaitingChange({ waiting }: { waiting: Waiting | null }) {
  if (!waiting) return null;
  return (
    <Suspense>
      <WaitingNotice waiting={waiting} />
    </Suspense>
  );
}

export const changeRequested = 'Change requested. It takes effect when a second approver approves it.';
