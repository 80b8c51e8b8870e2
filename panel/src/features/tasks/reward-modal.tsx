import type { Task } from 'contract/tasks.ts';
import { formatAmount } from '#panel/ui/amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { Modal, ModalActions } from '#panel/ui/modal.tsx';
import { useLast } from '#panel/ui/opening.ts';
import { formatDay } from '#panel/ui/time-text.ts';
import { useSetRewarded } from './api.ts';

type Props = { task: Task | undefined; onClose: () => void };

/** Asks before a task that is not completed is rewarded. */
export function RewardModal({ task, onClose }: Props) {
  const shown = useLast(task);
  return (
    <Modal title="Reward Task" opened={task !== undefined} onClose={onClose}>
      {shown && <Confirmation key={`${shown.id} ${shown.version}`} task={shown} onClose={onClose} />}
    </Modal>
  );
}

function Confirmation({ task, onClose }: { task: Task; onClose: () => void }) {
  const { isPending, set } = useSetRewarded(task, { onSettled: onClose });
  return (
    <>
      <p className="task-question">
        Pay {formatAmount(task.reward, 'USD')} to {task.username}?
      </p>
      <p className="task-hint">{activeText(task)}</p>
      <ModalActions waiting={isPending}>
        <Button loading={isPending} onClick={() => !isPending && set(true)}>
          Reward
        </Button>
      </ModalActions>
    </>
  );
}

function activeText({ title, deadline }: Task) {
  const today = new Date().toISOString().slice(0, 10);
  return deadline < today
    ? `“${title}” is overdue: its deadline was ${formatDay(deadline)}, and it is not completed.`
    : `“${title}” is not completed yet.`;
}
