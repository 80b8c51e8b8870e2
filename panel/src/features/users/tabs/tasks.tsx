import { listTasks, type Task } from 'contract/tasks.ts';
import type { User } from 'contract/users.ts';
import { queryFor } from '#panel/shell/query.ts';
import { Amount, dollars } from '#panel/ui/amount.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { Status } from '#panel/ui/status.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { TabTable } from './tab-table.tsx';
import { lifeTones } from './tones.ts';

const column = columnsOf<Task>();

const columns = column.columns([
  column.accessor('title', { header: 'Title', meta: { width: 160, flex: true } }),
  column.accessor('status', {
    header: 'Status',
    meta: { width: 130, hidePriority: 1, stackOnMobile: true },
    cell: ({ getValue }) => <Status tone={lifeTones[getValue()]}>{getValue()}</Status>,
  }),
  column.accessor('deadline', {
    header: 'Deadline',
    meta: { width: 120, hidePriority: 3, stackOnMobile: true },
  }),
  column.accessor('rewardedAt', {
    header: 'Rewarded',
    meta: { width: 130, hidePriority: 2, stackOnMobile: true },
    cell: ({ row }) => <Rewarded task={row.original} />,
  }),
  column.accessor('reward', {
    header: 'Reward',
    meta: { width: 130, right: true, amount: ({ reward }: Task) => dollars(reward) },
    cell: ({ getValue }) => <Amount units={getValue()} asset="USD" />,
  }),
]);

const Rewarded = ({ task: { rewardedAt } }: { task: Task }) => (rewardedAt ? <Timestamp at={rewardedAt} /> : 'not yet');

const taskSignature = ({ version, rewarded }: Task) => JSON.stringify([version, rewarded]);

export function TasksTab({ user }: { user: User }) {
  return (
    <TabTable
      label="Tasks of this user"
      noun={{ one: 'task', many: 'tasks' }}
      columns={columns}
      pageQuery={(page) => queryFor(listTasks, { querystring: { user: user.id, ...page } })}
      rows={({ tasks }) => tasks}
      signature={taskSignature}
      nothing={`Tasks of ${user.username} appear here.`}
    />
  );
}
