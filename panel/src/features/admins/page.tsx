import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Admin } from 'contract/admins.ts';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { useMemo, useState } from 'react';
import { useChangeView } from '#panel/domain/change-view.ts';
import { ClearButton } from '#panel/domain/list-table.tsx';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { EmptyState } from '#panel/ui/states.tsx';
import { DataTable, type Listing } from '#panel/ui/table/data-table.tsx';
import { formatTotal } from '#panel/ui/table/view.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { AddAdminModal } from './add-admin.tsx';
import { adminsQuery } from './api.ts';
import { adminColumns } from './columns.tsx';
import { DeleteAdminModal } from './delete-admin.tsx';
import type { AdminsSearch } from './search.ts';
import { roleChoices } from './role-text.ts';
import './admins.css';

const route = getRouteApi('/dashboard/admin');
const noun = { one: 'administrator', many: 'administrators' };

export function AdminsPage() {
  const deniedWriting = holds(useMe(), 'admins.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const [adding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<Admin>();
  const { data } = useQuery(adminsQuery);
  const addAdmin = (
    <Button disabledReason={deniedWriting} onClick={() => setAdding(true)}>
      Add New Admin
    </Button>
  );
  return (
    <PageFrame title="Admin Panel" now={data ? formatRoles(data.admins) : ''} action={addAdmin}>
      <AdminTable deniedWriting={deniedWriting} requestDeletion={setDeleting} />
      <AddAdminModal opened={adding} onClose={() => setAdding(false)} />
      <DeleteAdminModal admin={deleting} onClose={() => setDeleting(undefined)} />
    </PageFrame>
  );
}

function formatRoles(admins: readonly Admin[]) {
  const supers = admins.filter(({ role }) => role === 'SuperAdmin').length;
  return `${formatTotal({ count: admins.length, capped: false }, noun)}, ${supers} Super ${supers === 1 ? 'Admin' : 'Admins'}`;
}

type TableProps = { deniedWriting: string | undefined; requestDeletion: (admin: Admin) => void };

function AdminTable({ deniedWriting, requestDeletion }: TableProps) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = useChangeView();
  const columns = useMemo(() => adminColumns({ deniedWriting, requestDeletion }), [deniedWriting, requestDeletion]);
  return (
    <DataTable
      label="Administrators"
      noun={noun}
      columns={columns}
      listing={useAdminListing(search)}
      rowId={adminId}
      signature={adminSignature}
      view={search}
      change={change}
      defaultSort="createdAt"
      sortedBy="browser"
      open={({ id }) => void navigate({ to: '/dashboard/admin-profile/$id', params: { id } })}
      search={{ label: 'Search usernames', from: 1 }}
      filters={[{ key: 'role', label: 'Role', value: search.role, choices: roleChoices }]}
      empty={
        <EmptyState
          title="No results found."
          line="No administrator matches this search and filter."
          action={<ClearButton clear={() => change({ search: undefined, role: undefined })} />}
        />
      }
    />
  );
}

const adminId = ({ id }: Admin) => id;
const adminSignature = ({ username, version }: Admin) => JSON.stringify([username, version]);

/** Filters and sorts in the browser: the server returns all administrators, a few hundred at most. */
function useAdminListing({ search, role }: AdminsSearch): Listing<Admin> {
  const query = useQuery(adminsQuery);
  useReportedFailure('Failed to load admins', query);
  const { data } = query;
  const rows = useMemo(() => {
    const searchText = search?.toLowerCase() ?? '';
    return data?.admins.filter(
      (admin) => admin.username.toLowerCase().includes(searchText) && (role === undefined || admin.role === role),
    );
  }, [data, search, role]);
  return {
    rows,
    total: rows && { count: rows.length, capped: false },
    stale: false,
    failure: query.isLoadingError && <RetryLoading retry={() => void query.refetch()} retrying={query.isFetching} />,
  };
}

/** Offers a retry in place of the list. The specified toast reports the error. */
function RetryLoading({ retry, retrying }: { retry: () => void; retrying: boolean }) {
  return (
    <EmptyState
      title="Couldn't load the list."
      action={
        <Button variant="default" onClick={retry} loading={retrying}>
          Retry
        </Button>
      }
    />
  );
}
