import type { CopyIn } from '#server/core/db/copy.ts';

type SeedTask = {
  id: string;
  userId: string;
  postUrl: string;
  title: string;
  description: string;
  rewardUsd: number;
  deadline: Date;
  status: 'Active' | 'Completed';
  rewarded: boolean;
  rewardedAt: Date | null;
  createdAt: Date;
};

export function copyTasks(copy: CopyIn, tasks: Iterable<SeedTask>) {
  const statement = `copy task (id, user_id, post_url, title, description, reward_usd, deadline, status, rewarded,
    rewarded_at, created_at) from stdin`;
  return copy(statement, lines());
  function* lines() {
    for (const it of tasks) {
      const set = [it.id, it.userId, it.postUrl, it.title, it.description, it.rewardUsd, it.deadline];
      yield [...set, it.status, it.rewarded, it.rewardedAt, it.createdAt];
    }
  }
}

export const recountTasks = 'insert into task_count (status, delta) select status, count(*) from task group by status';
