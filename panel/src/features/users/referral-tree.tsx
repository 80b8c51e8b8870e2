import { useInfiniteQuery } from '@tanstack/react-query';
import type { User } from 'contract/users.ts';
import { EmptyState, LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Sponsors } from './sponsors.tsx';
import { teamQuery } from './team-api.ts';
import { TeamTree } from './team-tree.tsx';
import './referral-tree.css';

/** The sponsors above a user and the team below. */
export function ReferralTree({ user }: { user: User }) {
  return (
    <section className="card referral-tree" aria-label="Referral tree">
      <Sponsors user={user} />
      <Team user={user} />
    </section>
  );
}

function Team({ user }: { user: User }) {
  const query = useInfiniteQuery(teamQuery(user.id));
  const { data, error } = query;
  if (data?.pages[0]?.team.length === 0) {
    const line = `Users who join with the code ${user.referralCode} appear here.`;
    return <EmptyState title="No referrals yet." line={line} />;
  }
  if (data) return <TeamTree id={user.id} label={`Team of ${user.username}`} />;
  if (!error) return <SkeletonLines lines={5} label="Loading the team" />;
  return <LoadError title="The team could not be loaded." query={query} />;
}
