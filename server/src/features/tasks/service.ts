import { writeFactAmount } from 'contract/approvals-facts.ts';
import { rowsByDefault } from 'contract/core/paging.ts';
import { refuseReward, refuseTaskChange, type Task, type TaskSort, type TaskStatus } from 'contract/tasks.ts';
import { writeAmount } from 'contract/core/money.ts';
import { decideOrRequest, type Effect, withdrawRequest } from '#server/core/approvals/approvals.ts';
import type { Payload } from '#server/core/approvals/payload.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import type { ListParams } from '#server/core/db/user-owned-list.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { post, reverse } from '#server/core/ledger/ledger.ts';
import { type Owed, spareInTreasury } from '#server/core/ledger/lines.ts';
import { selectReversals } from '#server/core/ledger/queries.ts';
import { insertTask, lockTask, selectPage, selectUserUuid, selectTask, updateRewarded, updateTask } from './queries.ts';

export async function listTasks(db: Db, { sort, limit, cursor, ...narrowing }: ListParams<TaskStatus, TaskSort>) {
  const query = { ...narrowing, sort: sort ?? '-createdAt', cursor, limit: limit ?? rowsByDefault };
  const { rows, ...page } = await selectPage(db, query);
  return { tasks: rows, ...page };
}

export async function readTask(db: Db, id: string) {
  const task = await selectTask(db, id);
  if (!task) throw new Refusal('TaskNotFound');
  return { task };
}

type Form = Pick<Task, 'userId' | 'postUrl' | 'title' | 'description' | 'reward' | 'deadline'>;

export async function createTask(tx: Tx, { actor, form }: { actor: Actor; form: Form }) {
  const userUuid = await selectUserUuid(tx, form.userId);
  if (userUuid === undefined) throw new Refusal('UserNotFound');

  const task = await insertTask(tx, { ...form, userUuid });
  await announce(tx, { feature: 'tasks', id: task.id });
  const details = { after: shown(task) };
  await recordAudit(tx, { actorId: actor.id, action: 'tasks.create', subjectId: task.id, details });
  return { task };
}

type Change = { actor: Actor; id: string; version: number; form: Form & Pick<Task, 'status'> };

export async function changeTask(tx: Tx, { actor, id, version, form }: Change) {
  const before = await lockTask(tx, id);
  if (!before) throw new Refusal('TaskNotFound');
  const refusal = refuseTaskChange(before);
  if (refusal) throw new Refusal(refusal);
  if (before.version !== version) throw new Refusal('TaskConflict');

  // A task can stay with a deleted user, but cannot be given to one.
  const userUuid = form.userId === before.userId ? before.userUuid : await selectUserUuid(tx, form.userId);
  if (userUuid === undefined) throw new Refusal('UserNotFound');
  const task = await updateTask(tx, id, { ...form, userUuid });
  await withdrawRequest(tx, { kind: 'task', subjectId: id });
  await announce(tx, { feature: 'tasks', id });
  const details = { before: shown(before), after: shown(task) };
  await recordAudit(tx, { actorId: actor.id, action: 'tasks.change', subjectId: id, details });
  return { task };
}

type Reward = { owed: Owed; actor: Actor; id: string; version: number; rewarded: boolean };

export async function setRewarded(tx: Tx, { owed, actor, id, version, rewarded }: Reward) {
  const before = await lockTask(tx, id);
  if (!before) throw new Refusal('TaskNotFound');
  if (before.rewarded === rewarded) throw new Refusal('RewardUnchanged');
  if (before.version !== version) throw new Refusal('TaskConflict');

  if (before.waitsUntil) throw new Refusal('ApprovalWaiting');
  const refusal = refuseReward(before);
  if (refusal) throw new Refusal(refusal);
  const action = await applyOrRequest(tx, before, { owed, actor });
  const task = (await lockTask(tx, id)) ?? before;
  await announce(tx, { feature: 'tasks', id });
  const details = { before: stamp(before), after: stamp(task) };
  await recordAudit(tx, { actorId: actor.id, action, subjectId: id, details });
  return { task };
}

/** Pays or reverses the reward, or requests approval if it exceeds what the administrator may still move alone today. */
async function applyOrRequest(tx: Tx, task: Task, { owed, actor }: Pick<Reward, 'owed' | 'actor'>) {
  const moves = { asset: 'USD', units: task.reward } as const;
  const request = { kind: 'task', subjectId: task.id, payload: payloadOf(task), moves } as const;
  if ((await decideOrRequest(tx, { ...request, actor })) === 'requested') return 'tasks.ask';
  if (task.rewarded) {
    await reverseReward(tx, task);
    return 'tasks.revoke';
  }
  await payReward(tx, task, { owed, rewardedBy: actor.id, preparedBy: null });
  return 'tasks.reward';
}

/** The effect of an approved request: the reward is paid, or reversed if it was paid when it was requested. */
export const rewardEffect = (owed: Owed): Effect => ({
  async payloadOf(tx, id) {
    const task = await lockTask(tx, id);
    return task && payloadOf(task);
  },
  async apply(tx, { subjectId, requestedBy, decidedBy }) {
    const task = await lockTask(tx, subjectId);
    if (!task) throw new Refusal('ApprovalVoid');
    const refusal = refuseReward(task);
    if (refusal) throw new Refusal(refusal);
    if (task.rewarded) await reverseReward(tx, task);
    else await payReward(tx, task, { owed, rewardedBy: decidedBy, preparedBy: requestedBy });
    await announce(tx, { feature: 'tasks', id: subjectId });
  },
});

function payloadOf({ userUuid, username, title, postUrl, reward, rewarded }: Task): Payload {
  return {
    userUuid,
    facts: [
      { key: 'user', value: username },
      { key: 'amount', value: writeFactAmount(rewarded ? -reward : reward, 'USD') },
      { key: 'task', value: title },
      { key: 'postUrl', value: postUrl },
    ],
  };
}

type Payers = Parameters<typeof updateRewarded>[2] & { owed: Owed };

/** Pays the reward. Its key counts the revocations, so a reward that stands cannot be paid again. */
async function payReward(tx: Tx, { id: causeId, userUuid: userId, reward: units }: Task, { owed, ...payers }: Payers) {
  if ((await spareInTreasury(tx, 'USD', owed)) < units) throw new Refusal('TreasuryTooLow');
  await updateRewarded(tx, causeId, payers);
  const part = await selectReversals(tx, { kind: 'task', causeId });
  const payment = { causeId, part, asset: 'USD', units } as const;
  await post(tx, [
    { ...payment, kind: 'funding', userId: null, debit: 'treasury', credit: 'task_rewards' },
    { ...payment, kind: 'task', userId, debit: 'task_rewards', credit: 'available' },
  ]);
}

async function reverseReward(tx: Tx, { id: causeId }: Task) {
  await updateRewarded(tx, causeId, { rewardedBy: null, preparedBy: null });
  const part = await selectReversals(tx, { kind: 'task', causeId });
  await reverse(tx, { kind: 'task', causeId, part });
  await reverse(tx, { kind: 'funding', causeId, part });
}

const stamp = ({ rewarded, rewardedAt }: Task) => ({ rewarded, rewardedAt });

const shown = ({ userId, postUrl, title, description, reward, deadline, status }: Task) => ({
  userId,
  postUrl,
  title,
  description,
  reward: writeAmount(reward, 'USD'),
  deadline,
  status,
});
