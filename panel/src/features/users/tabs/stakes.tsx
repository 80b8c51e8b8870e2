import { listStakes, type Stake } from 'contract/staking.ts';
import type { User } from 'contract/users.ts';
import { queryFor } from '#panel/shell/query.ts';
import { Amount, dollars } from '#panel/ui/amount.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { Status } from '#panel/ui/status.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { TabTable } from './tab-table.tsx';
import { lifeTones } from './tones.ts';

const column = columnsOf<Stake>();

const columns = column.columns([
  column.accessor('stakeId', {
    header: 'Stake ID',
    meta: { width: 130, flex: true },
    cell: ({ getValue }) => <ShortId id={getValue()} />,
  }),
  column.accessor('status', {
    header: 'Status',
    meta: { width: 130, hidePriority: 1, stackOnMobile: true },
    cell: ({ getValue }) => <Status tone={lifeTones[getValue()]}>{getValue()}</Status>,
  }),
  column.accessor('duration', {
    header: 'Duration',
    meta: { width: 110, hidePriority: 3, stackOnMobile: true },
  }),
  column.accessor('date', {
    header: 'Date',
    meta: { width: 130, hidePriority: 2, stackOnMobile: true },
    cell: ({ getValue }) => <Timestamp at={getValue()} />,
  }),
  column.accessor('amount', {
    header: 'Amount',
    meta: { width: 150, right: true, amount: ({ amount }: Stake) => dollars(amount) },
    cell: ({ getValue }) => <Amount units={getValue()} asset="USD" />,
  }),
]);

const stakeSignature = ({ status }: Stake) => status;

export function StakesTab({ user }: { user: User }) {
  return (
    <TabTable
      label="Stakes of this user"
      noun={{ one: 'stake', many: 'stakes' }}
      columns={columns}
      pageQuery={(page) => queryFor(listStakes, { querystring: { user: user.id, ...page } })}
      rows={({ stakes }) => stakes}
      signature={stakeSignature}
      nothing={`Stakes of ${user.username} appear here.`}
    />
  );
}
