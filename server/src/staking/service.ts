import { rowsByDefault } from 'contract/paging.ts';
import type { Plan, StakeSort, StakeStatus } from 'contract/staking.ts';
import { recordAudit } from '#server/audit/audit.ts';
import type { Actor } from '#server/auth/sessions.ts';
import type { Db, Tx } from '#server/db/db.ts';
import type { ListWish } from '#server/db/owned-list.ts';
import { announce } from '#server/events/events.ts';
import { Refusal } from '#server/http/refusal.ts';
import { insertPlan, lockPlan, selectFigures, selectPage, selectPlans, selectStake, updateOffered } from './queries.ts';

export async function listStakes(db: Db, { sort, limit, cursor, ...narrowing }: ListWish<StakeStatus, StakeSort>) {
  const asked = { ...narrowing, sort: sort ?? '-date', cursor, limit: limit ?? rowsByDefault };
  const { rows, ...page } = await selectPage(db, asked);
  return { stakes: rows, ...page };
}

export async function readStake(db: Db, id: string) {
  const stake = await selectStake(db, id);
  if (!stake) throw new Refusal('StakeNotFound');
  return { stake };
}

export async function readStakingFigures(db: Db) {
  const figures = await selectFigures(db);
  const active = figures.find(({ status }) => status === 'Active');
  return {
    total: figures.reduce((sum, { count }) => sum + count, 0),
    active: active?.count ?? 0,
    completed: figures.find(({ status }) => status === 'Completed')?.count ?? 0,
    totalStaked: figures.reduce((sum, { amount }) => sum + amount, 0n),
    activeStaked: active?.amount ?? 0n,
  };
}

export async function listPlans(db: Db) {
  return { plans: await selectPlans(db) };
}

type NewPlan = Pick<Plan, 'days' | 'dailyRate'>;

export async function createPlan(tx: Tx, { actor, days, dailyRate }: NewPlan & { actor: Actor }) {
  const plan = await insertPlan(tx, { days, dailyRate });
  if (!plan) throw new Refusal('PlanExists');
  await announce(tx, { room: 'staking', id: plan.id });
  const details = { after: { days, dailyRateBasisPoints: dailyRate, offered: plan.offered } };
  await recordAudit(tx, { actorId: actor.id, action: 'staking.create-plan', subjectId: plan.id, details });
  return { plan };
}

type Offering = { actor: Actor; id: string; offered: boolean };

/** Saying what holds already changes nothing. */
export async function setPlanOffered(tx: Tx, { actor, id, offered }: Offering) {
  const before = await lockPlan(tx, id);
  if (!before) throw new Refusal('PlanNotFound');
  if (before.offered === offered) return { plan: before };

  const plan = await updateOffered(tx, id, offered);
  await announce(tx, { room: 'staking', id });
  const details = { before: { offered: before.offered }, after: { offered } };
  await recordAudit(tx, { actorId: actor.id, action: 'staking.set-plan-offered', subjectId: id, details });
  return { plan };
}
