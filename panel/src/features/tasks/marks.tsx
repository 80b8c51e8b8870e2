import { IconExternalLink, IconStar, IconStarFilled } from '@tabler/icons-react';
import type { Task, TaskStatus as Value } from 'contract/tasks.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { Status, type Tone } from '#panel/ui/status.tsx';
import { useFollowed } from './followed.ts';

/** Completed is muted, so that the task does not look open. */
const tones: Record<Value, Tone> = { Active: 'good', Completed: 'quiet' };

export function TaskStatus({ status }: { status: Value }) {
  return <Status tone={tones[status]}>{status}</Status>;
}

export function FollowMark({ task: { id, title } }: { task: Task }) {
  const { followed, follow } = useFollowed(id);
  const Star = followed ? IconStarFilled : IconStar;
  return (
    <button
      type="button"
      className="task-follow"
      aria-pressed={followed}
      aria-label={`Follow task: ${title}`}
      title={followed ? 'Stop following this task' : 'Follow this task in this browser'}
      onClick={() => follow(!followed)}
    >
      <Star size={16} stroke={1.75} aria-hidden />
    </button>
  );
}

/** An external URL, shown without its scheme. Opens in a new tab without opener and referrer. */
export function PostLink({ url }: { url: string }) {
  const address = URL.parse(url);
  if (!address || !/^https?:$/.test(address.protocol)) return <span className="task-address">{url}</span>;
  return (
    <a className="task-link" href={address.href} target="_blank" rel="noopener noreferrer nofollow" title={url}>
      <span className="task-address">{`${address.host}${address.pathname}${address.search}`.replace(/\/$/, '')}</span>
      <IconExternalLink size={14} stroke={1.75} aria-label="opens in a new tab" />
    </a>
  );
}

export function Rewarded({ task: { rewardedAt } }: { task: Task }) {
  return rewardedAt ? <Timestamp at={rewardedAt} /> : <span className="task-quiet">Not rewarded</span>;
}
