import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Answer } from 'contract/core/endpoint.ts';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import type { listUsers, UserRow } from 'contract/users.ts';
import { useMemo, useState } from 'react';
import { ListTable } from '#panel/domain/list-table.tsx';
import { useMe } from '#panel/shell/me.ts';
import { Figures } from '#panel/ui/card.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { Skeleton } from '#panel/ui/states.tsx';
import { formatFigure, type Total } from '#panel/ui/table/view.ts';
import { blacklistedTotalQuery, totalQuery, usersQuery } from './api.ts';
import { type NumberedUser, userColumns } from './columns.tsx';
import { DeleteUserModal } from './delete-user.tsx';
import { fromList } from './way-back.tsx';
import './users.css';

const route = getRouteApi('/dashboard/users');
const noun = { one: 'user', many: 'users' };

export function UsersPage() {
  const deniedWriting = holds(useMe(), 'users.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const [deleting, setDeleting] = useState<UserRow>();
  const { data: blacklisted } = useQuery(blacklistedTotalQuery);
  const total = useTotal();
  const figure = total ? formatFigure(total) : <Skeleton width={90} height={24} />;
  return (
    <PageFrame title="User Management" now={blacklisted ? formatBlacklisted(blacklisted.total) : ''}>
      <div className="user-figures">
        <Figures figures={[{ label: 'Total users', value: figure }]} />
      </div>
      <UserTable deniedWriting={deniedWriting} requestDeletion={setDeleting} />
      <DeleteUserModal user={deleting} onClose={() => setDeleting(undefined)} />
    </PageFrame>
  );
}

const formatBlacklisted = (total: Total) =>
  total.count === 0 ? 'No one is blacklisted' : `${formatFigure(total)} blacklisted`;

/** Returns the unfiltered total for the card, because a filtered list counts only its matches. */
function useTotal() {
  const queryClient = useQueryClient();
  const search = route.useSearch();
  const narrowed = isNarrowed(search);
  const all = useQuery({
    ...totalQuery,
    enabled: narrowed,
    placeholderData: () => queryClient.getQueryData(usersQuery({}).queryKey),
  });
  const { data, isPlaceholderData } = useQuery(usersQuery(search));
  return narrowed || isPlaceholderData ? all.data?.total : data?.total;
}

const isNarrowed = ({ search, blacklisted }: { search?: string | undefined; blacklisted?: 'yes' | undefined }) =>
  search !== undefined || blacklisted !== undefined;

type TableProps = { deniedWriting: string | undefined; requestDeletion: (user: UserRow) => void };

function UserTable({ deniedWriting, requestDeletion }: TableProps) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({ ...usersQuery(search), select: numbered });
  const columns = useMemo(() => userColumns({ deniedWriting, requestDeletion }), [deniedWriting, requestDeletion]);
  return (
    <ListTable
      label="Users"
      noun={noun}
      columns={columns}
      query={query}
      rows={({ users }) => users}
      failed="Failed to fetch users"
      signature={userSignature}
      view={search}
      defaultSort="-createdAt"
      open={({ id }) => void navigate({ to: '/dashboard/user-profile/$id', params: { id }, state: fromList })}
      searchLabel="Search name, ID, wallet or code"
      filters={[{ key: 'blacklisted', label: 'Blacklisted', value: search.blacklisted, choices: blacklistedChoices }]}
      empty={{ title: 'No users found.', line: 'Users appear here as soon as they join the platform.' }}
    />
  );
}

const blacklistedChoices = [{ value: 'yes', label: 'Only blacklisted' }];

/** Adds to each row its position in the whole list. */
const numbered = ({ users, ...page }: Answer<typeof listUsers>) => ({
  ...page,
  users: users.map((user, index): NumberedUser => ({ ...user, number: page.firstRow + index })),
});

const userSignature = ({ username, role, isBlacklisted }: UserRow) => JSON.stringify([username, role, isBlacklisted]);
