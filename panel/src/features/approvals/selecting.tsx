import type { ListedApproval } from 'contract/approvals.ts';
import { lazy, Suspense, useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { useLast } from '#panel/ui/opening.ts';
import { SelectionBar } from '#panel/ui/selection-bar.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';
import { formatTotals } from './totals.ts';

// Fetched when it is first wanted: the list is quicker without it.
const ApproveMany = lazy(async () => ({ default: (await import('./approve-many.tsx')).ApproveMany }));

type Props = { chosen: readonly ListedApproval[]; clear: () => void };

/** What is selected, what it amounts to, and the way to approve all of it. */
export function ApproveSelected({ chosen, clear }: Props) {
  // As they were when it was pressed: what others decide meanwhile does not change the question.
  const [wanted, setWanted] = useState<readonly ListedApproval[]>();
  const last = useLast(wanted);
  return (
    <>
      <SelectionBar label="Selected requests" count={chosen.length} sum={formatTotals(chosen)} onClear={clear}>
        <Button onClick={() => setWanted(chosen)}>Approve</Button>
      </SelectionBar>
      {/* Beside the bar: the outcome stays on the screen when what was selected is decided and the bar goes. */}
      <Modal title="Approve Requests" opened={wanted !== undefined} onClose={() => setWanted(undefined)} size="lg">
        <Suspense fallback={<SkeletonLines lines={6} />}>
          {last && (
            <ApproveMany
              key={last.map(({ id }) => id).join()}
              approvals={last}
              onDecided={clear}
              onClose={() => setWanted(undefined)}
            />
          )}
        </Suspense>
      </Modal>
    </>
  );
}
