import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconChevronRight } from '@tabler/icons-react';
import type { Member, User } from 'contract/users.ts';
import { type ReactNode, useState } from 'react';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { sponsorsQuery } from './team-api.ts';

/** The number of nearest sponsors that are always shown, besides the topmost. */
const nearestShown = 4;

/** The chain of sponsors, from the top down to this user. */
export function Sponsors({ user }: { user: User }) {
  const query = useQuery(sponsorsQuery(user.id));
  const { data, error } = query;
  if (data) return <Path user={user} downward={data.sponsors.toReversed()} cut={data.cut} />;
  if (!error) return <SkeletonLines lines={1} label="Loading the sponsors" />;
  return <LoadError title="The sponsors could not be loaded." query={query} />;
}

function Path({ user, downward, cut }: { user: User; downward: Member[]; cut: boolean }) {
  const [expanded, setExpanded] = useState(false);
  const folded = expanded ? 0 : Math.max(0, downward.length - 1 - nearestShown);
  // Hiding a single sponsor saves no space, because the button takes as much.
  const hidden = folded > 1 ? folded : 0;
  const [top, ...rest] = downward;
  return (
    <nav aria-label="Sponsors">
      <ol className="sponsors">
        {cut && <Step>{downward.length > 0 ? '…' : 'The sponsors form a loop.'}</Step>}
        {top && <Sponsor member={top} />}
        {hidden > 0 && (
          <Step>
            <button type="button" className="sponsors-more" onClick={() => setExpanded(true)}>
              {hidden} more
            </button>
          </Step>
        )}
        {rest.slice(hidden).map((member) => (
          <Sponsor key={member.id} member={member} />
        ))}
        {!top && !cut && <Step>Joined without a sponsor</Step>}
        <li className="sponsors-step" aria-current="true">
          <span className="sponsors-user">{user.username}</span>
        </li>
      </ol>
    </nav>
  );
}

function Sponsor({ member: { id, username, userId, isDeleted } }: { member: Member }) {
  return (
    <Step>
      {isDeleted ? (
        <span title={userId}>{username}, deleted</span>
      ) : (
        <Link to="/dashboard/user-profile/$id" params={{ id }} className="tree-link" title={userId}>
          {username}
        </Link>
      )}
    </Step>
  );
}

function Step({ children }: { children: ReactNode }) {
  return (
    <li className="sponsors-step">
      {children}
      <IconChevronRight size={14} stroke={1.75} aria-hidden className="sponsors-mark" />
    </li>
  );
}
