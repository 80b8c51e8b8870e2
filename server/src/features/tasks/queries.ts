import type { Task, TaskSort, TaskStatus } from 'contract/tasks.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';
import { listPage, partOf } from '#server/core/db/list.ts';
import { type ListQuery, userOwnedList } from '#server/core/db/user-owned-list.ts';

const orders = {
  createdAt: { column: 'created_at', type: 'timestamptz' },
  deadline: { column: 'deadline', type: 'date' },
  reward: { column: 'reward_usd', type: 'bigint' },
};

const columns = sql`
  platform_user.user_id as "userId", platform_user.username, platform_user.id as "userUuid",
  platform_user.blacklisted_at is not null as "isUserBlacklisted", platform_user.retired_at is not null as "isUserDeleted",
  item.post_url as "postUrl",
  item.title, item.description, item.reward_usd as reward, item.deadline::text as deadline, item.status,
  item.rewarded, item.rewarded_at as "rewardedAt", waiting.expires_at as "waitsUntil", item.created_at as "createdAt", item.version`;

const joins = sql`
  join platform_user on platform_user.id = item.user_id
  left join approval as waiting on waiting.kind = 'task' and waiting.subject_id = item.id
    and waiting.state = 'waiting' and waiting.expires_at > now()`;

const searchFilter = (search: string) => ({
  indexLookup: sql<boolean>`lower(item.title) like ${partOf(search)}`,
  scan: sql<boolean>`strpos(lower(item.title), lower(${search})) > 0`,
});

type Query = ListQuery<TaskStatus, TaskSort>;

export const selectPage = (db: Db, query: Query) => listPage<Task>(db, taskList(db, query));

export const taskList = (db: Db, query: Query) =>
  userOwnedList(db, { table: 'task', columns, joins, orders, searchFilter }, query);

export async function selectTask(db: Db, id: string) {
  const { rows } = await sql<Task>`
    select item.id, ${columns} from task as item ${joins} where item.id = ${id}::uuid`.execute(db);
  return rows[0];
}

/**
 * Locks the task, so that concurrent actions on it run one after the other, and its user, so that blacklisting or
 * deleting them waits for a payment.
 */
export async function lockTask(tx: Tx, id: string) {
  const one = tx.selectFrom('task').innerJoin('platformUser', 'platformUser.id', 'task.userId').select('task.id');
  const locked = await one.where('task.id', '=', id).forUpdate('task').forShare('platformUser').executeTakeFirst();
  return locked && selectTask(tx, id);
}

/** Returns the id of the user with this number, or undefined if the user is unknown or deleted. */
export async function selectUserUuid(tx: Tx, userId: string) {
  const one = tx.selectFrom('platformUser').select('id').where('userId', '=', userId).where('retiredAt', 'is', null);
  // The lock is held until the task is written: a concurrent deletion of the user waits for it.
  return (await one.forShare().executeTakeFirst())?.id;
}

type Written = Pick<Task, 'userUuid' | 'postUrl' | 'title' | 'description' | 'reward' | 'deadline'>;

const row = ({ userUuid, reward, postUrl, title, description, deadline }: Written) => ({
  userId: userUuid,
  rewardUsd: reward,
  postUrl,
  title,
  description,
  deadline,
});

export async function insertTask(tx: Tx, task: Written) {
  const { id } = await tx.insertInto('task').values(row(task)).returning('id').executeTakeFirstOrThrow();
  return justWritten(tx, id);
}

export async function updateTask(tx: Tx, id: string, { status, ...task }: Written & Pick<Task, 'status'>) {
  const change = { ...row(task), status, version: sql<number>`version + 1` };
  await tx.updateTable('task').set(change).where('id', '=', id).execute();
  return justWritten(tx, id);
}

/** The administrator who paid, and the one who requested it if a second approver was needed. */
type Payers = { rewardedBy: string | null; preparedBy: string | null };

export async function updateRewarded(tx: Tx, id: string, { rewardedBy, preparedBy }: Payers) {
  const rewarded = rewardedBy !== null;
  const rewardedAt = rewarded ? sql<Date>`now()` : null;
  const change = { rewarded, rewardedAt, rewardedBy, preparedBy, version: sql<number>`version + 1` };
  await tx.updateTable('task').set(change).where('id', '=', id).execute();
  return justWritten(tx, id);
}

async function justWritten(tx: Tx, id: string) {
  const task = await selectTask(tx, id);
  if (!task) throw new Error(`The task ${id} is gone from the transaction that wrote it.`);
  return task;
}

/** Merges the rows into one per status. Rows added concurrently are not visible here, so none is lost. */
export function foldCounts(tx: Tx) {
  return sql`
    with folded as (delete from task_count returning status, delta)
    insert into task_count (status, delta) select status, sum(delta) from folded group by status
  `.execute(tx);
}
