import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { type Task, TaskStatus } from 'contract/tasks.ts';
import { lazy, type ReactNode, useCallback, useMemo, useState } from 'react';
import { ListTable, statusFilter } from '#panel/domain/list-table.tsx';
import { useMe } from '#panel/shell/me.ts';
import { useDetailRoute } from '#panel/domain/detail-route.ts';
import { Button } from '#panel/ui/button.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { RowDrawer } from '#panel/ui/row-drawer.tsx';
import { formatTotal } from '#panel/ui/table/view.ts';
import { tasksQuery, totalQuery } from './api.ts';
import { taskColumns } from './columns.tsx';
import { TaskStatus as StatusMark } from './marks.tsx';
import { RewardModal } from './reward-modal.tsx';
import { TaskModal, type Writing } from './task-modal.tsx';
import './tasks.css';

const route = getRouteApi('/dashboard/manage-task');
const noun = { one: 'task', many: 'tasks' };

const TaskView = lazy(async () => ({ default: (await import('./task-view.tsx')).TaskView }));

export function TasksPage() {
  const denied = holds(useMe(), 'tasks.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const [writing, setWriting] = useState<Writing>();
  const { data } = useQuery(totalQuery);
  const [rewarding, setRewarding] = useState<Task>();
  const edit = useCallback((task: Task) => setWriting({ task }), []);
  const confirmReward = useCallback((task: Task) => setRewarding(task), []);
  const createTask = (
    <Button disabledReason={denied} onClick={() => setWriting({})}>
      Create Task
    </Button>
  );
  return (
    <PageFrame title="Task Management" now={data ? formatTotal(data.total, noun) : ''} action={createTask}>
      <TaskTable denied={denied} edit={edit} confirmReward={confirmReward} createTask={createTask} />
      <TaskModal writing={writing} onClose={() => setWriting(undefined)} />
      <RewardModal task={rewarding} onClose={() => setRewarding(undefined)} />
    </PageFrame>
  );
}

type TableProps = Parameters<typeof taskColumns>[0] & { createTask: ReactNode };

function TaskTable({ denied, edit, confirmReward, createTask }: TableProps) {
  const search = route.useSearch();
  const query = useQuery(tasksQuery(search));
  const { open, close } = useDetailRoute('task', search.task);
  const columns = useMemo(() => taskColumns({ denied, edit, confirmReward }), [denied, edit, confirmReward]);
  return (
    <>
      <ListTable
        label="Tasks"
        noun={noun}
        columns={columns}
        query={query}
        rows={({ tasks }) => tasks}
        failed="Failed to fetch tasks"
        signature={taskSignature}
        view={search}
        defaultSort="-createdAt"
        open={open}
        searchLabel="Search by title"
        filters={[statusFilter(search.status, { options: TaskStatus.options, Mark: StatusMark })]}
        empty={{
          title: 'No tasks available.',
          line: 'Tasks appear here as soon as they are created.',
          action: createTask,
        }}
      />
      <RowDrawer title="Task" View={TaskView} id={search.task} rows={query.data?.tasks} onClose={close} />
    </>
  );
}

const taskSignature = ({ version }: Task) => String(version);
