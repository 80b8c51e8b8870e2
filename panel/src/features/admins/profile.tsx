import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { IconArrowLeft } from '@tabler/icons-react';
import { readAdmin } from 'contract/admins.ts';
import type { ReactNode } from 'react';
import { Trail } from '#panel/domain/trail.tsx';
import { WaitingChange } from '#panel/domain/waiting-change.tsx';
import { Card } from '#panel/ui/card.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { EmptyState, LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { adminQuery, adminsQuery } from './api.ts';
import { ProfileForm } from './profile-form.tsx';
import { Recovery } from './recovery.tsx';
import { formatRole } from './role-text.ts';
import './admins.css';

const failed = 'The administrator could not be loaded.';
const route = getRouteApi('/dashboard/admin-profile/$id');

export function AdminProfilePage() {
  const { id } = route.useParams();
  // A malformed ID matches no administrator, so no request is sent.
  if (!readAdmin.params.safeParse({ id }).success) return <NoAdmin />;
  return <Profile key={id} id={id} />;
}

function Profile({ id }: { id: string }) {
  const queryClient = useQueryClient();
  const query = useQuery({
    ...adminQuery(id),
    // A profile opened from the list shows the cached record immediately.
    placeholderData: () => {
      const admin = queryClient.getQueryData(adminsQuery.queryKey)?.admins.find((listed) => listed.id === id);
      return admin && { admin, waiting: null };
    },
  });
  const { data, error } = query;
  const gone = error?.code === 'AdminNotFound';
  useReportedFailure(failed, query, { shownInline: gone || query.isLoadingError });
  if (gone) return <NoAdmin />;
  if (data) {
    return (
      <Frame now={`${data.admin.username}, ${formatRole(data.admin.role)}`}>
        <WaitingChange waiting={data.waiting} />
        <Card>
          <ProfileForm admin={data.admin} />
        </Card>
        <Card>
          <Recovery admin={data.admin} isWaiting={data.waiting !== null} />
        </Card>
        <Trail feature="admins" subject={data.admin.id} />
      </Frame>
    );
  }
  return (
    <Frame>
      <Card>
        {error ? (
          <LoadError title={failed} query={query} />
        ) : (
          <SkeletonLines lines={6} label="Loading the administrator" />
        )}
      </Card>
    </Frame>
  );
}

function NoAdmin() {
  return (
    <Frame>
      <Card>
        <EmptyState
          title="No admin data found."
          line="This administrator was deleted, or the address is not complete."
        />
      </Card>
    </Frame>
  );
}

function Frame({ now = '', children }: { now?: string; children: ReactNode }) {
  const back = (
    <Link to="/dashboard/admin" className="admin-back">
      <IconArrowLeft size={16} stroke={1.75} aria-hidden />
      Back
    </Link>
  );
  return (
    <PageFrame title="Admin Profile" now={now} back={back}>
      <div className="admin-profile">{children}</div>
    </PageFrame>
  );
}
