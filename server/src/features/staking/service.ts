import { rowsByDefault } from 'contract/core/paging.ts';
import type { Plan, StakeSort, StakeStatus } from 'contract/staking.ts';
import { requestApproval, type Effect, waitingFor, withdrawRequest } from '#server/core/approvals/approvals.ts';
import type { Payload } from '#server/core/approvals/payload.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import type { ListParams } from '#server/core/db/user-owned-list.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import {
  insertPlan,
  lockPlan,
  type PlanRow,
  selectFigures,
  selectPage,
  selectPlans,
  selectStake,
  updateOffered,
} from './queries.ts';

export async function listStakes(db: Db, { sort, limit, cursor, ...narrowing }: ListParams<StakeStatus, StakeSort>) {
  const query = { ...narrowing, sort: sort ?? '-date', cursor, limit: limit ?? rowsByDefault };
  const { rows, ...page } = await selectPage(db, query);
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
  const plans: Plan[] = [];
  for (const plan of await selectPlans(db)) plans.push(await shown(db, plan));
  return { plans };
}

type NewPlan = Pick<Plan, 'days' | 'dailyRate'>;

export async function createPlan(tx: Tx, { actor, days, dailyRate }: NewPlan & { actor: Actor }) {
  const plan = await insertPlan(tx, { days, dailyRate });
  if (!plan) throw new Refusal('PlanExists');
  await requestOffer(tx, plan, actor);
  await announce(tx, { feature: 'staking', id: plan.id });
  const details = { after: { days, dailyRatePartsPerMillion: dailyRate, offered: plan.offered } };
  await recordAudit(tx, { actorId: actor.id, action: 'staking.create-plan', subjectId: plan.id, details });
  return { plan: await shown(tx, plan) };
}

type Offering = { actor: Actor; id: string; offered: boolean };

/**
 * Requests approval to offer a plan, or stops offering it and withdraws a waiting request. Changes nothing if the plan
 * is already offered or requested, or already neither of them.
 */
export async function setPlanOffered(tx: Tx, { actor, id, offered }: Offering) {
  const before = await lockPlan(tx, id);
  if (!before) throw new Refusal('PlanNotFound');
  const isRequested = (await waitingFor(tx, requestFor(id))) !== null;
  if ((before.offered || isRequested) === offered) return { plan: await shown(tx, before) };

  if (offered) await requestOffer(tx, before, actor);
  else {
    await withdrawRequest(tx, requestFor(id));
    await updateOffered(tx, id, false);
  }
  await announce(tx, { feature: 'staking', id });
  const action = offered ? 'staking.ask-to-offer-plan' : 'staking.stop-offering-plan';
  const details = { days: before.days, dailyRatePartsPerMillion: before.dailyRate };
  await recordAudit(tx, { actorId: actor.id, action, subjectId: id, details });
  return { plan: await shown(tx, { ...before, offered: false }) };
}

/** The effect of an approved plan: it is offered. Two administrators decide how much new stakes earn. */
export const planEffect: Effect = {
  async payloadOf(tx, id) {
    const plan = await lockPlan(tx, id);
    return plan && payloadOf(plan);
  },
  async apply(tx, { subjectId }) {
    await updateOffered(tx, subjectId, true);
    await announce(tx, { feature: 'staking', id: subjectId });
  },
};

const requestFor = (subjectId: string) => ({ kind: 'plan', subjectId }) as const;

const requestOffer = (tx: Tx, plan: PlanRow, { id: requestedBy }: Actor) =>
  requestApproval(tx, { ...requestFor(plan.id), payload: payloadOf(plan), requestedBy });

const payloadOf = ({ days, dailyRate }: PlanRow): Payload => ({
  userUuid: null,
  facts: [
    { key: 'days', value: String(days) },
    { key: 'dailyRate', value: String(dailyRate / 100) },
  ],
});

const shown = async (db: Db, plan: PlanRow): Promise<Plan> => ({
  ...plan,
  waiting: await waitingFor(db, requestFor(plan.id)),
});
