import type { Task, TaskSort, TaskStatus } from 'contract/tasks.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/db/db.ts';
import { listPage, partOf } from '#server/db/list.ts';
import { type ListAsked, ownedList } from '#server/db/owned-list.ts';

const orders = {
  createdAt: { column: 'created_at', type: 'timestamptz' },
  deadline: { column: 'deadline', type: 'date' },
  reward: { column: 'reward_usd', type: 'bigint' },
};

const columns = sql`
  person.user_id as "userId", person.username, person.id as person, item.post_url as "postUrl",
  item.title, item.description, item.reward_usd as reward, item.deadline::text as deadline, item.status,
  item.rewarded, item.rewarded_at as "rewardedAt", item.created_at as "createdAt", item.version`;

const joins = sql`join platform_user as person on person.id = item.user_id`;

const sought = (search: string) => ({
  lookup: sql<boolean>`lower(item.title) like ${partOf(search)}`,
  walk: sql<boolean>`strpos(lower(item.title), lower(${search})) > 0`,
});

type Asked = ListAsked<TaskStatus, TaskSort>;

export const selectPage = (db: Db, asked: Asked) => listPage<Task>(db, taskList(db, asked));

export const taskList = (db: Db, asked: Asked) =>
  ownedList(db, { table: 'task', columns, joins, orders, sought }, asked);

export async function selectTask(db: Db, id: string) {
  const { rows } = await sql<Task>`
    select item.id, ${columns} from task as item ${joins} where item.id = ${id}::uuid`.execute(db);
  return rows[0];
}

/** Two who act on the same task queue up here; the second then sees what the first did. */
export async function lockTask(tx: Tx, id: string) {
  const locked = await tx.selectFrom('task').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  return locked && selectTask(tx, id);
}

/** The one whom people mean by this number; whoever has left the platform gets no tasks. */
export async function selectPerson(tx: Tx, userId: string) {
  const one = tx.selectFrom('platformUser').select('id').where('userId', '=', userId).where('retiredAt', 'is', null);
  // Held until the task is written: who leaves meanwhile waits, and then has it.
  return (await one.forShare().executeTakeFirst())?.id;
}

type Written = Pick<Task, 'person' | 'postUrl' | 'title' | 'description' | 'reward' | 'deadline'>;

const row = ({ person, reward, postUrl, title, description, deadline }: Written) => ({
  userId: person,
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

export async function updateRewarded(tx: Tx, id: string, rewarded: boolean) {
  const rewardedAt = rewarded ? sql<Date>`now()` : null;
  const change = { rewarded, rewardedAt, version: sql<number>`version + 1` };
  await tx.updateTable('task').set(change).where('id', '=', id).execute();
  return justWritten(tx, id);
}

async function justWritten(tx: Tx, id: string) {
  const task = await selectTask(tx, id);
  if (!task) throw new Error(`The task ${id} is gone from the transaction that wrote it.`);
  return task;
}

/** Many small rows become one for each status. What is added meanwhile is not seen, and so not lost. */
export function foldCounts(tx: Tx) {
  return sql`
    with folded as (delete from task_count returning status, delta)
    insert into task_count (status, delta) select status, sum(delta) from folded group by status
  `.execute(tx);
}
