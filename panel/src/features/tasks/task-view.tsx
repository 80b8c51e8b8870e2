import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Task } from 'contract/tasks.ts';
import { Trail } from '#panel/domain/trail.tsx';
import { Amount } from '#panel/ui/amount.tsx';
import { Facts } from '#panel/ui/facts.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import type { RowViewProps } from '#panel/ui/row-drawer.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { formatDay } from '#panel/ui/time-text.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { taskQuery } from './api.ts';
import { PostLink, TaskStatus } from './marks.tsx';

const failed = 'Failed to fetch the task';

export function TaskView({ id, known }: RowViewProps<Task>) {
  const query = useQuery(taskQuery(id));
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const { data } = query;
  const task = data?.task ?? known;
  if (query.isLoadingError) return <LoadError title={failed} query={query} />;
  if (!task) return <SkeletonLines lines={8} label="Loading the task" />;
  return (
    <div className="task">
      <h3 className="task-title">{task.title}</h3>
      <p className="task-description">{task.description || 'There is no description.'}</p>
      <TaskFacts task={task} />
      <Trail feature="tasks" subject={task.id} />
    </div>
  );
}

function TaskFacts({ task }: { task: Task }) {
  return (
    <Facts
      facts={[
        {
          name: 'User',
          value: (
            <Link to="/dashboard/user-profile/$id" params={{ id: task.userUuid }} className="task-profile">
              {task.username}
            </Link>
          ),
        },
        { name: 'User ID', value: <ShortId id={task.userId} /> },
        { name: 'Post URL', value: <PostLink url={task.postUrl} /> },
        { name: 'Reward', value: <Amount units={task.reward} asset="USD" /> },
        { name: 'Deadline', value: formatDay(task.deadline) },
        { name: 'Status', value: <TaskStatus status={task.status} /> },
        { name: 'Rewarded', value: task.rewarded ? 'Yes' : 'No' },
        ...(task.rewardedAt ? [{ name: 'Rewarded at', value: <Timestamp at={task.rewardedAt} /> }] : []),
        { name: 'Created', value: <Timestamp at={task.createdAt} /> },
        { name: 'ID', value: <ShortId id={task.id} /> },
      ]}
    />
  );
}
