import type { ListedApproval } from 'contract/approvals.ts';
import { lazy, Suspense, useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { useLast } from '#panel/ui/opening.ts';
import { SelectionBar } from '#panel/ui/selection-bar.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';
import { formatTotals } from './totals.ts';

// Loaded on first use, so that the list loads faster.
const ApproveMany = lazy(async () => ({ default: (await import('./approve-many.tsx')).ApproveMany }));

type Props = { chosen: readonly ListedApproval[]; clear: () => void };

/** The number and total of the selected requests, and the button that approves them. */
export function ApproveSelected({ chosen, clear }: Props) {
  // A snapshot of the click: decisions of others in the meantime do not change the dialog.
  const [requested, setRequested] = useState<readonly ListedApproval[]>();
  const last = useLast(requested);
  return (
    <>
      <SelectionBar label="Selected requests" count={chosen.length} sum={formatTotals(chosen)} onClear={clear}>
        <Button onClick={() => setRequested(chosen)}>Approve</Button>
      </SelectionBar>
      {/* Outside the bar: the outcome stays visible when the decision clears the selection and hides the bar. */}
      <Modal
        title="Approve Requests"
        opened={requested !== undefined}
        onClose={() => setRequested(undefined)}
        size="lg"
      >
        <Suspense fallback={<SkeletonLines lines={6} />}>
          {last && (
            <ApproveMany
              key={last.map(({ id }) => id).join()}
              approvals={last}
              onDecided={clear}
              onClose={() => setRequested(undefined)}
            />
          )}
        </Suspense>
      </Modal>
    </>
  );
}
