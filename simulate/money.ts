import { type Asset, writeAmount } from 'contract/core/money.ts';
import type { DepositItem } from '../client/src/items.ts';
import { platformId } from '../server/src/core/platform-id.ts';
import type { Sender } from './sender.ts';
import type { Turn } from './turns.ts';
import { walletOf } from './wallet.ts';
import type { Player, World } from './world.ts';

export type Scene = {
  world: World;
  sender: Sender;
  /** The durations of the stakes that are offered, in days. */
  days: readonly number[];
};

const dollar = 1_000_000n;
/** Above everything that runs pay a user during a simulation. */
const farTooMuch = 1_000_000n * dollar;
const dayMs = 86_400_000;

const now = () => new Date().toISOString();

/** The oldest day on which a stake can be placed before the first payout: it earns from yesterday on. */
const twoDaysAgo = () => `${new Date(Date.now() - 2 * dayMs).toISOString().slice(0, 10)}T12:00:00.000Z`;

/** At most that much of an amount, in whole units and at least one. */
const partOf = (units: bigint, part: number) => 1n + (units * BigInt(Math.floor(part * 1_000_000))) / 1_000_000n;

/** What the user has for sure. Rewards that runs paid meanwhile come on top, and are never spent. */
const spendable = ({ books }: World, { item: { id: user } }: Player) =>
  books.unitsOf({ user, asset: 'USD', account: 'available' });

const largestDeposits = { USD: 2_000n * dollar, GMP: 500n * dollar, SLX: 900n, SHARE: 60n };
type Deposited = DepositItem['asset'];

/** The first deposit of a user: dollars, and the shares by which GMP is distributed. Both are sent in one call. */
export async function depositFirst({ world, sender }: Scene, { item: { id: user } }: Player, part: number) {
  const items = (['USD', 'SHARE'] as const).map((asset) => ({
    id: `${user}-first-${asset}`,
    user,
    asset,
    amount: writeAmount(partOf(largestDeposits[asset], part), asset),
    at: now(),
  }));
  const results = await sender.next().addDeposits(items);
  if (results.some(({ outcome }) => outcome === 'refused')) world.fault(`${user}: ${JSON.stringify(results)}`);
  (['USD', 'SHARE'] as const).forEach((asset, index) => {
    record(world, { id: items[index]?.id ?? '', user, asset, units: partOf(largestDeposits[asset], part) });
  });
}

export async function deposit({ world, sender }: Scene, { no, player, part, which, isRepeated }: Turn) {
  const { id: user } = player.item;
  const asset = (['USD', 'USD', 'USD', 'GMP', 'SLX', 'SHARE'] as const)[which % 6] ?? 'USD';
  const units = partOf(largestDeposits[asset], part);
  const item = { id: `${user}-D${no}`, user, asset, amount: writeAmount(units, asset), at: now() };
  const outcome = await sender.one((client) => client.addDeposits([item]), { isRepeated });
  if (outcome === 'taken') record(world, { id: item.id, user, asset, units });
  else world.fault(`the deposit ${item.id} was refused: ${outcome}`);
}

type Deposit = { id: string; user: string; asset: Deposited; units: bigint };

function record(world: World, { id, user, asset, units }: Deposit) {
  world.books.move({ user, asset, from: 'outside', to: 'available', units });
  world.items.set(`deposit ${platformId('deposit', id)}`, depositFact({ user, asset, units }));
  world.count('deposits');
}

export const depositFact = ({ user, asset, units }: { user: string; asset: Asset; units: bigint }) =>
  `${user} ${writeAmount(units, asset)} ${asset}`;

export async function stake(scene: Scene, turn: Turn) {
  const { world, sender, days: offered } = scene;
  const { no, player, part, which, isRepeated, isExcessive } = turn;
  const { id: user } = player.item;
  const have = spendable(world, player);
  if (have < dollar && !isExcessive) {
    await deposit(scene, turn);
    return;
  }
  const units = isExcessive ? have + farTooMuch : partOf(have / 2n, part);
  const days = offered[which % offered.length] ?? 30;
  const isEarlier = !isExcessive && which % 5 > 1;
  const item = { id: `${user}-S${no}`, user, amount: writeAmount(units, 'USD'), days };
  // Before the call: the answer can be lost, and a run can end the stake first.
  if (!isExcessive) world.stakes.set(item.id, { id: item.id, user, units, days, isOver: false });
  const place = (placedAt: string) =>
    sender.one((client) => client.placeStakes([{ ...item, placedAt }]), { isRepeated });
  let outcome = await place(isEarlier ? twoDaysAgo() : now());
  if (outcome === 'PlacedTooLate') {
    world.count('stakes placed too late');
    outcome = await place(now());
  }
  if (isExcessive) expectTooLow(world, { id: item.id, outcome });
  else if (outcome === 'taken') {
    world.books.move({ user, asset: 'USD', from: 'available', to: 'staked', units });
    world.count('stakes');
  } else world.fault(`the stake ${item.id} was refused: ${outcome}`);
}

function expectTooLow(world: World, { id, outcome }: { id: string; outcome: string }) {
  if (outcome === 'BalanceTooLow') world.count('refusals of more than a user has');
  else world.fault(`${id} is more than the user has, and it was ${outcome}`);
}

export async function endStake(scene: Scene, turn: Turn) {
  const { world, sender } = scene;
  const { player, which, isRepeated } = turn;
  const { id: user } = player.item;
  const active = [...world.stakes.values()].filter((one) => one.user === user && !one.isOver);
  const chosen = active[which % Math.max(1, active.length)];
  if (!chosen) {
    await stake(scene, turn);
    return;
  }
  const end = { id: chosen.id, endedAt: now() };
  const outcome = await sender.one((client) => client.endStakes([end]), { isRepeated });
  // A run ended it first, and its event says so.
  if (outcome === 'StakeCompleted' || outcome === 'StakeMatured') return;
  if (outcome !== 'taken' || chosen.isOver) {
    world.fault(`the stake ${chosen.id} was to end, and it was ${chosen.isOver ? 'ended twice' : outcome}`);
    return;
  }
  chosen.isOver = true;
  world.books.move({ user, asset: 'USD', from: 'staked', to: 'available', units: chosen.units });
  world.count('stakes ended early');
}

export async function withdraw(scene: Scene, turn: Turn) {
  const { world, sender } = scene;
  const { no, player, part, which, isRepeated, isExcessive } = turn;
  const { id: user, wallet: own } = player.item;
  const have = spendable(world, player);
  if (have < dollar && !isExcessive) {
    await deposit(scene, turn);
    return;
  }
  const units = isExcessive ? have + farTooMuch : partOf((have * 2n) / 3n, part);
  const id = `${user}-W${no}`;
  const wallet = which % 5 === 0 ? walletOf(id) : own;
  if (!isExcessive) {
    const fresh = { state: 'requested', decided: undefined, reference: undefined, events: [] as string[] } as const;
    world.withdrawals.set(id, { id, user, units, wallet, ...fresh });
  }
  const item = { id, user, asset: 'USD', amount: writeAmount(units, 'USD'), wallet, at: now() } as const;
  const outcome = await sender.one((client) => client.requestWithdrawals([item]), { isRepeated });
  if (isExcessive) expectTooLow(world, { id, outcome });
  else if (outcome === 'taken') {
    world.books.move({ user, asset: 'USD', from: 'available', to: 'held', units });
    world.count('withdrawals');
  } else world.fault(`the withdrawal ${id} was refused: ${outcome}`);
}
