import type { RunDetail } from 'contract/runs.ts';
import { Button } from '#panel/ui/button.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { formatAmountText } from './amounts.ts';
import { useRunAction } from './api.ts';

type Props = { detail: RunDetail; onDone: () => void };

export function CancelForm({ detail: { run, progress }, onDone }: Props) {
  const { steer, runAction } = useRunAction({ onDone });
  const cancelling = runAction === 'cancel';
  return (
    <>
      <p className="run-question">Cancel this run? This can't be undone.</p>
      <p className="run-hint">
        {progress.paidLines > 0
          ? `${formatAmountText(progress.paid, run.asset)} in ${formatCount(progress.paidLines)} payments stays ${run.reverses === null ? 'paid' : 'reversed'}. Nothing else moves. To process the rest, preview the job again.`
          : 'No money has moved. You can preview the job again later.'}
      </p>
      <ModalActions waiting={cancelling}>
        <Button color="red" loading={cancelling} onClick={() => !cancelling && steer(run.id, 'cancel')}>
          Cancel run
        </Button>
      </ModalActions>
    </>
  );
}
