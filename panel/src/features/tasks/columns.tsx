import {
  changeTask,
  needsConfirmation,
  refuseReward,
  refuseTaskChange,
  setRewarded,
  type Task,
} from 'contract/tasks.ts';
import { RowLink } from '#panel/domain/row-link.tsx';
import { Amount, dollars } from '#panel/ui/amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { formatDay } from '#panel/ui/time-text.ts';
import { useSetRewarded } from './api.ts';
import { FollowMark, PostLink, Rewarded, TaskStatus } from './marks.tsx';

const column = columnsOf<Task>();

type Deps = {
  denied: string | undefined;
  edit: (task: Task) => void;
  /** Asks before the task is rewarded. */
  confirmReward: (task: Task) => void;
};

export const taskColumns = (deps: Deps) =>
  column.columns([
    column.accessor('title', {
      header: 'Title',
      enableHiding: false,
      enableSorting: false,
      meta: { width: 198, flex: true },
      cell: ({ row }) => <OpenTask task={row.original} />,
    }),
    column.accessor('username', {
      header: 'User',
      enableSorting: false,
      meta: { width: 124, hidePriority: 2, stackOnMobile: true },
    }),
    column.accessor('postUrl', {
      header: 'Post URL',
      enableSorting: false,
      meta: { width: 160, hidePriority: 6 },
      cell: ({ getValue }) => <PostLink url={getValue()} />,
    }),
    column.accessor('reward', {
      header: 'Reward',
      sortDescFirst: true,
      meta: {
        width: 108,
        hidePriority: 1,
        stackOnMobile: true,
        right: true,
        amount: ({ reward }: Task) => dollars(reward),
      },
      cell: ({ getValue }) => <Amount units={getValue()} asset="USD" />,
    }),
    column.accessor('deadline', {
      header: 'Deadline',
      meta: { width: 124, hidePriority: 4, stackOnMobile: true },
      cell: ({ getValue }) => formatDay(getValue()),
    }),
    column.accessor('status', {
      header: 'Status',
      enableSorting: false,
      meta: { width: 124, hidePriority: 3, stackOnMobile: true },
      cell: ({ getValue }) => <TaskStatus status={getValue()} />,
    }),
    column.accessor('rewarded', {
      header: 'Rewarded',
      enableSorting: false,
      meta: { width: 124, hidePriority: 5 },
      cell: ({ row }) => <Rewarded task={row.original} />,
    }),
    column.accessor('createdAt', {
      header: 'Created',
      sortDescFirst: true,
      meta: { width: 116, hidePriority: 7 },
      cell: ({ getValue }) => <Timestamp at={getValue()} />,
    }),
    column.display({
      id: 'actions',
      header: 'Actions',
      enableHiding: false,
      meta: { width: 152, right: true },
      cell: ({ row }) => <Actions task={row.original} {...deps} />,
    }),
  ]);

function OpenTask({ task }: { task: Task }) {
  return (
    <span className="task-name">
      <FollowMark task={task} />
      <RowLink opens="task" id={task.id} label={`View task: ${task.title}`}>
        {task.title}
      </RowLink>
    </span>
  );
}

/** Returns why a task cannot be edited, with the text that the server would refuse with. */
const editDisabledReason = (task: Task) => (refuseTaskChange(task) ? changeTask.refusals[409].TaskRewarded : undefined);

/** Returns why the reward cannot be paid now, with the text that the server would refuse with. */
function rewardDisabledReason(task: Task) {
  const refusal = task.waitsUntil ? 'ApprovalWaiting' : refuseReward(task);
  return refusal && setRewarded.refusals[409][refusal];
}

function Actions({ task, denied, edit, confirmReward }: Deps & { task: Task }) {
  return (
    <span className="table-actions">
      <Button
        variant="subtle"
        size="compact-sm"
        aria-label={`Edit task: ${task.title}`}
        disabledReason={denied ?? editDisabledReason(task)}
        onClick={() => edit(task)}
      >
        Edit
      </Button>
      <RewardToggle task={task} denied={denied} confirmReward={confirmReward} />
    </span>
  );
}

type ToggleProps = Pick<Deps, 'denied' | 'confirmReward'> & { task: Task };

function RewardToggle({ task, denied, confirmReward }: ToggleProps) {
  const { isPending, set } = useSetRewarded(task);
  const word = task.rewarded ? 'Revoke' : 'Reward';
  const toggle = () => (needsConfirmation(task) ? confirmReward(task) : set(!task.rewarded));
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      {...(task.rewarded && { className: 'table-action-danger' })}
      aria-label={`${word} task: ${task.title}`}
      loading={isPending}
      disabledReason={denied ?? rewardDisabledReason(task)}
      onClick={() => !isPending && toggle()}
    >
      {word}
    </Button>
  );
}
