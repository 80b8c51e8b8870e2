import { readAmount } from 'contract/core/money.ts';
import { type StakeItem, stakeItemRefusals as texts } from 'contract/staking-inbound.ts';
import { selectNow, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { decideItems, isPast, isPayable, refuseUser } from '#server/core/inbound/inbound.ts';
import { selectUsers } from '#server/core/inbound/queries.ts';
import { post } from '#server/core/ledger/ledger.ts';
import { lockTotals } from '#server/core/ledger/totals.ts';
import { platformId } from '#server/core/platform-id.ts';
import { insertStakes, lockOfferedPlans, type OfferedPlan, selectPlaced, type StakeRow } from './inbound-queries.ts';

/** Returns the last day that is or will be paid by an existing plan. No plan is made until the transaction ends. */
export type PayoutDay = (tx: Tx) => Promise<string>;

type Placing = { payoutDay: PayoutDay; items: readonly StakeItem[] };
type PlacedStake = StakeRow & { id: string; planId: string };

/**
 * Places stakes: their amounts move from available to staked. It locks the totals of the users first: balances cannot
 * change until it commits, and a concurrent call with the same stakes waits and then finds them stored.
 */
export async function placeStakes(tx: Tx, { payoutDay, items }: Placing) {
  const firstDay = await payoutDay(tx);
  const plans = await lockOfferedPlans(tx);
  const users = await selectUsers(
    tx,
    items.map(({ user }) => user),
  );
  const totals = await lockTotals(
    tx,
    [...users.values()].map(({ id }) => id),
  );
  const rows = await selectPlaced(
    tx,
    items.map(({ id }) => id),
  );
  const stored = new Map(rows.map((row) => [row.stakeId, row]));
  const now = await selectNow(tx);
  const placed: PlacedStake[] = [];
  const { results } = decideItems({
    items,
    texts,
    stored: new Map(rows.map((row) => [row.stakeId, contentOf(row)])),
    contentOf: ({ id, user, amount, amountSol, days, dailyRate, placedAt }) =>
      contentOf({
        userId: users.get(user)?.id,
        units: readAmount(amount, 'USD'),
        unitsSol: readAmount(amountSol, 'SOL'),
        days,
        dailyRatePpm: dailyRate ?? stored.get(id)?.dailyRatePpm,
        placedAt,
      }),
    refuse: (item) => {
      const { id, user, amount, amountSol, placedAt } = item;
      const [units, unitsSol] = [readAmount(amount, 'USD'), readAmount(amountSol, 'SOL')];
      if (!isPayable(units) || unitsSol === undefined || unitsSol < 0n) return 'AmountInvalid';
      if (!isPast(placedAt, now)) return 'TimeInvalid';
      if (placedAt.toISOString().slice(0, 10) < firstDay) return 'PlacedTooLate';
      const plan = planFor(item, plans);
      if (typeof plan === 'string') return plan;
      const owner = users.get(user);
      const had = totals.get(owner?.id ?? '');
      if (!owner || owner.isDeleted || !had) return refuseUser(owner) ?? 'UserUnknown';
      const { userId, availableUsd } = had;
      if (availableUsd < units) return 'BalanceTooLow';
      totals.set(userId, { ...had, availableUsd: availableUsd - units });
      const { id: planId, days, dailyRatePpm } = plan;
      const stake = { stakeId: id, userId, units, unitsSol, days, dailyRatePpm, placedAt };
      placed.push({ ...stake, id: platformId('stake', id), planId });
      return undefined;
    },
  });
  if (placed.length > 0) await place(tx, placed);
  return { results };
}

function planFor({ days, dailyRate }: StakeItem, plans: readonly OfferedPlan[]) {
  const fitting = plans.filter(
    (plan) => plan.days === days && (dailyRate === undefined || plan.dailyRatePpm === dailyRate),
  );
  const [plan] = fitting;
  if (!plan) return 'PlanNotOffered';
  return fitting.length > 1 ? 'PlanAmbiguous' : plan;
}

type Content = { [Field in keyof Omit<StakeRow, 'stakeId'>]: StakeRow[Field] | undefined };

const contentOf = ({ userId, units, unitsSol, days, dailyRatePpm, placedAt }: Content) =>
  JSON.stringify([userId, String(units), String(unitsSol), days, dailyRatePpm, placedAt]);

async function place(tx: Tx, stakes: readonly PlacedStake[]) {
  await insertStakes(tx, stakes);
  await post(
    tx,
    stakes.map(({ id: causeId, userId, units }) => ({
      kind: 'stake',
      causeId,
      part: 0,
      userId,
      asset: 'USD',
      debit: 'available',
      credit: 'staked',
      units,
    })),
  );
  await announce(tx, { feature: 'staking', id: 'inbound' });
  await announce(tx, { feature: 'users', id: 'inbound' });
}
