import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { kindNames, type Transfer, transferTitle } from 'contract/ledger.ts';
import { Trail } from '#panel/domain/trail.tsx';
import { Facts } from '#panel/ui/facts.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import type { RowViewProps } from '#panel/ui/row-drawer.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { formatDay } from '#panel/ui/time-text.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { transferQuery } from './api.ts';
import { Cause } from './cause.tsx';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import { Way } from './way.tsx';
import { isByRun, Why } from './why.tsx';

const failed = 'Failed to fetch the transfer';

export function TransferView({ id, known }: RowViewProps<Transfer>) {
  const query = useQuery(transferQuery(id));
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const transfer = query.data?.transfer ?? known;
  if (query.isLoadingError) return <LoadError title={failed} query={query} />;
  if (!transfer) return <SkeletonLines lines={8} label="Loading the transfer" />;
  const { reversedBy = null, adjusted = null, bookedBy = null } = query.data ?? {};
  return (
    <div className="transfer">
      <Facts
        facts={[
          { name: 'Reference', value: <span className="transfer-reference">{transfer.id}</span> },
          { name: 'Kind', value: transferTitle(transfer) },
          { name: 'Amount', value: <AssetAmount {...transfer} /> },
          { name: 'Movement', value: <Way transfer={transfer} /> },
          { name: 'User', value: <UserLink transfer={transfer} /> },
          { name: 'Accounting date', value: formatDay(transfer.day) },
          { name: 'Posted', value: <Timestamp at={transfer.postedAt} /> },
          { name: 'Source', value: <Cause transfer={transfer} bookedBy={bookedBy} /> },
          ...(adjusted
            ? [
                { name: 'Adjusted by', value: adjusted.by },
                { name: 'Reason', value: adjusted.reason },
              ]
            : []),
          ...(transfer.reverses === null
            ? []
            : [{ name: 'Reverses', value: <Reversed transfer={transfer} id={transfer.reverses} /> }]),
          ...(reversedBy === null ? [] : [{ name: 'Reversed by', value: <Other id={reversedBy} /> }]),
        ]}
      />
      {isByRun(transfer) && <Why id={transfer.id} />}
      <Trail feature="ledger" subject={transfer.cause} />
    </div>
  );
}

function UserLink({ transfer: { user } }: { transfer: Transfer }) {
  if (!user) return 'Platform';
  if (user.isDeleted) return `${user.username} (deleted)`;
  return (
    <Link to="/dashboard/user-profile/$id" params={{ id: user.id }} className="ledger-link">
      {user.username}
    </Link>
  );
}

/** A reversal has the kind and the amount of the transfer that it reverses, and the reference starts with its day. */
function Reversed({ transfer, id }: { transfer: Transfer; id: string }) {
  const day = id.replace(/^(\d{4})(\d\d)(\d\d)-.*$/, '$1-$2-$3');
  return (
    <>
      {kindNames[transfer.kind]} of <AssetAmount {...transfer} />, {formatDay(day)}: <Other id={id} />
    </>
  );
}

function Other({ id }: { id: string }) {
  return (
    <Link to="/dashboard/ledger" search={{ transfer: id }} className="ledger-link transfer-reference">
      {id}
    </Link>
  );
}
