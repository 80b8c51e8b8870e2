import { useQuery } from '@tanstack/react-query';
import type { Task } from 'contract/tasks.ts';
import { lazy, Suspense } from 'react';
import { Modal } from '#panel/ui/modal.tsx';
import { useLast } from '#panel/ui/opening.ts';
import { SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { taskQuery } from './api.ts';

// Loaded on first use, so that the list loads faster.
const TaskForm = lazy(async () => ({ default: (await import('./task-form.tsx')).TaskForm }));

/** The task to edit, or a new one if undefined. */
export type Writing = { task?: Task };

type Props = { writing: Writing | undefined; onClose: () => void };

export function TaskModal({ writing, onClose }: Props) {
  const shown = useLast(writing);
  return (
    <Modal
      title={shown?.task ? 'Edit Task' : 'Create Task'}
      opened={writing !== undefined}
      onClose={onClose}
      size={560}
    >
      <Suspense fallback={<SkeletonLines lines={8} />}>
        {shown?.task ? (
          <EditForm key={shown.task.id} opened={shown.task} onClose={onClose} />
        ) : (
          <TaskForm onClose={onClose} />
        )}
      </Suspense>
    </Modal>
  );
}

/** Subscribes to the record, so that the form shows changes by others. */
function EditForm({ opened, onClose }: { opened: Task; onClose: () => void }) {
  const query = useQuery({ ...taskQuery(opened.id), placeholderData: { task: opened } });
  useReportedFailure('Failed to fetch the task', query);
  return <TaskForm task={query.data?.task ?? opened} onClose={onClose} />;
}
