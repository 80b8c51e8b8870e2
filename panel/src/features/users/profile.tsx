import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { readUser } from 'contract/users.ts';
import type { ReactNode } from 'react';
import { Card } from '#panel/ui/card.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { EmptyState, LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { userQuery } from './api.ts';
import { ProfileView } from './profile-view.tsx';
import { WayBack } from './way-back.tsx';
import './users.css';

const failed = 'The user could not be loaded.';
const route = getRouteApi('/dashboard/user-profile/$id');

export function UserProfilePage() {
  const { id } = route.useParams();
  // A malformed ID matches no user, so no request is sent.
  if (!readUser.params.safeParse({ id }).success) return <NoUser />;
  return <Profile key={id} id={id} />;
}

function Profile({ id }: { id: string }) {
  const query = useQuery(userQuery(id));
  const { data, error } = query;
  const gone = error?.code === 'UserNotFound';
  useReportedFailure(failed, query, { shownInline: gone || query.isLoadingError });
  if (gone) return <NoUser />;
  if (data) return <ProfileView user={data.user} />;
  return (
    <Waiting>
      {error ? <LoadError title={failed} query={query} /> : <SkeletonLines lines={8} label="Loading the user" />}
    </Waiting>
  );
}

function NoUser() {
  return (
    <Waiting>
      <EmptyState title="User not found." line="This user was deleted, or the address is not complete." />
    </Waiting>
  );
}

function Waiting({ children }: { children: ReactNode }) {
  return (
    <PageFrame title="User Profile" back={<WayBack />}>
      <Card>{children}</Card>
    </PageFrame>
  );
}
