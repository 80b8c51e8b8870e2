import { Link } from '@tanstack/react-router';
import type { UserRow } from 'contract/users.ts';
import { Button } from '#panel/ui/button.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { formatCount } from '#panel/ui/table/view.ts';
import { fromList } from './way-back.tsx';

/** A row with its position in the whole list. */
export type NumberedUser = UserRow & { number: number };

const column = columnsOf<NumberedUser>();

type Given = { deniedWriting: string | undefined; requestDeletion: (user: UserRow) => void };

export const userColumns = ({ deniedWriting, requestDeletion }: Given) =>
  column.columns([
    column.accessor('number', {
      header: '#',
      enableSorting: false,
      meta: { width: 72, tight: 72, hidePriority: 4 },
      cell: ({ getValue }) => <span className="user-number">{formatCount(getValue())}</span>,
    }),
    column.accessor('userId', {
      header: 'User ID',
      meta: { width: 140, tight: 104, hidePriority: 3, stackOnMobile: true },
      cell: ({ getValue }) => <span className="user-id">{getValue()}</span>,
    }),
    column.accessor('username', {
      header: 'Username',
      enableHiding: false,
      meta: { width: 130, tight: 130, flex: true },
      cell: ({ row }) => <Name user={row.original} />,
    }),
    column.accessor('role', { header: 'Role', meta: { width: 110, tight: 76, hidePriority: 1, stackOnMobile: true } }),
    column.accessor('createdAt', {
      header: 'Created At',
      sortDescFirst: true,
      meta: { width: 140, tight: 116, hidePriority: 2, stackOnMobile: true },
      cell: ({ getValue }) => <Timestamp at={getValue()} />,
    }),
    column.display({
      id: 'actions',
      header: 'Actions',
      enableHiding: false,
      meta: { width: 208, tight: 180, right: true },
      cell: ({ row }) => (
        <Actions user={row.original} deniedWriting={deniedWriting} requestDeletion={requestDeletion} />
      ),
    }),
  ]);

function Name({ user: { username, isBlacklisted } }: { user: UserRow }) {
  return (
    <span className="user-name">
      <span className="user-name-text">{username}</span>
      {isBlacklisted && <span className="user-mark">Blacklisted</span>}
    </span>
  );
}

function Actions({ user, deniedWriting, requestDeletion }: Given & { user: UserRow }) {
  return (
    <span className="table-actions">
      <Link to="/dashboard/user-profile/$id" params={{ id: user.id }} state={fromList} className="table-action">
        View Profile
      </Link>
      <Button
        variant="subtle"
        className="table-action-danger"
        size="compact-sm"
        disabledReason={deniedWriting}
        onClick={() => requestDeletion(user)}
      >
        Delete
      </Button>
    </span>
  );
}
