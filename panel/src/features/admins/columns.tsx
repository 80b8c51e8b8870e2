import { Link } from '@tanstack/react-router';
import { type Admin, refuseDeletion } from 'contract/admins.ts';
import { Button } from '#panel/ui/button.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { formatRole } from './role-text.ts';

const column = columnsOf<Admin>();

type Given = { deniedWriting: string | undefined; requestDeletion: (admin: Admin) => void };

export const adminColumns = ({ deniedWriting, requestDeletion }: Given) =>
  column.columns([
    column.accessor('id', {
      header: 'ID',
      enableSorting: false,
      meta: { width: 150, hidePriority: 3 },
      cell: ({ getValue }) => <ShortId id={getValue()} />,
    }),
    column.accessor('username', {
      header: 'Username',
      enableHiding: false,
      sortFn: 'text',
      meta: { width: 130, flex: true },
      cell: ({ getValue }) => <span className="admin-name">{getValue()}</span>,
    }),
    column.accessor('role', {
      header: 'Role',
      sortFn: 'text',
      meta: { width: 180, hidePriority: 1, stackOnMobile: true },
      cell: ({ row }) => <RoleOf admin={row.original} />,
    }),
    column.accessor('createdAt', {
      header: 'Created At',
      sortFn: 'datetime',
      sortDescFirst: true,
      meta: { width: 140, hidePriority: 2, stackOnMobile: true },
      cell: ({ getValue }) => <Timestamp at={getValue()} />,
    }),
    column.display({
      id: 'actions',
      header: 'Actions',
      enableHiding: false,
      meta: { width: 208, right: true },
      cell: ({ row }) => (
        <Actions admin={row.original} deniedWriting={deniedWriting} requestDeletion={requestDeletion} />
      ),
    }),
  ]);

function RoleOf({ admin: { role, permissionSet } }: { admin: Admin }) {
  return (
    <>
      {formatRole(role)}
      {permissionSet && <span className="admin-set"> · {permissionSet}</span>}
    </>
  );
}

function Actions({ admin, deniedWriting, requestDeletion }: Given & { admin: Admin }) {
  return (
    <span className="table-actions">
      <Link to="/dashboard/admin-profile/$id" params={{ id: admin.id }} className="table-action">
        View Profile
      </Link>
      {!refuseDeletion(admin) && (
        <Button
          variant="subtle"
          className="table-action-danger"
          size="compact-sm"
          disabledReason={deniedWriting}
          onClick={() => requestDeletion(admin)}
        >
          Delete
        </Button>
      )}
    </span>
  );
}
