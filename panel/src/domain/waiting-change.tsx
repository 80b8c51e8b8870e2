import type { Waiting } from 'contract/approvals.ts';
import { lazy, Suspense } from 'react';

// Seldom does anything wait: the page is quicker without it.
const WaitingNotice = lazy(async () => ({ default: (await import('./waiting-notice.tsx')).WaitingNotice }));

/** Beside what it would change. */
export function WaitingChange({ waiting }: { waiting: Waiting | null }) {
  if (!waiting) return null;
  return (
    <Suspense>
      <WaitingNotice waiting={waiting} />
    </Suspense>
  );
}

export const changeRequested = 'Nothing is changed yet: a second approver has to approve it first.';
