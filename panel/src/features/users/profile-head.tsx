import type { User } from 'contract/users.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { Status } from '#panel/ui/status.tsx';
import { UserPhoto } from './photo.tsx';

/** Shows the user and the blacklist status, first because it changes the meaning of everything below. */
export function ProfileHead({ user, editing }: { user: User; editing: boolean }) {
  return (
    <section className="card user-head" aria-label="Who it is">
      <UserPhoto user={user} editing={editing} />
      <div className="user-head-text">
        <p className="user-head-name">{user.username}</p>
        <p className="user-quiet">
          <span className="user-id">{user.userId}</span> · {user.role} ·{' '}
          {user.rank === 'none' ? 'no rank' : `${user.rank} rank`} · joined <Timestamp at={user.createdAt} />
        </p>
      </div>
      <div className="user-head-state" data-blacklisted={user.isBlacklisted || undefined}>
        <Status tone={user.isBlacklisted ? 'bad' : 'good'}>
          {user.isBlacklisted ? 'Blacklisted' : 'Not blacklisted'}
        </Status>
        {user.blacklistReason && <p className="user-quiet">{user.blacklistReason}</p>}
      </div>
    </section>
  );
}
