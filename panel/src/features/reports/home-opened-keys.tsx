import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listOpenedKeys, openedKeysDays } from 'contract/users-opened-keys.ts';
import { useState } from 'react';
import { queryFor } from '#panel/shell/query.ts';
import { Button } from '#panel/ui/button.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import './home-opened-keys.css';

const openedKeysQuery = queryFor(listOpenedKeys, {});
const shownFirst = 3;

/** Shown to every Super Admin, so that none of them can see a private key without the others knowing. */
export function OpenedKeys() {
  const { data } = useQuery(openedKeysQuery);
  const [isOpen, setOpen] = useState(false);
  const opened = data?.opened ?? [];
  if (opened.length === 0) return null;
  return (
    <div className="card home-opened">
      <span className="home-tile-label">Opened keys</span>
      <ul>
        {opened
          .slice(0, isOpen ? undefined : shownFirst)
          .map(({ id, user, openedBy, approvedBy, openedAt, reason }) => (
            <li key={id}>
              {openedBy} opened the private key of{' '}
              <Link to="/dashboard/user-profile/$id" params={{ id: user.id }}>
                {user.username}
              </Link>{' '}
              <Timestamp at={openedAt} />.
              <span className="home-tile-note">
                Reason: {reason}. Approved by {approvedBy}.
              </span>
            </li>
          ))}
      </ul>
      {opened.length > shownFirst && !isOpen && (
        <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
          Show all {opened.length} of the last {openedKeysDays} days
        </Button>
      )}
    </div>
  );
}
