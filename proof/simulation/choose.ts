import type { Chance } from '../processes/chance.ts';
import { dayMs, dayOf, isLive, type Kind, type Model, type Run, type Settings, userOf } from './model.ts';
import { collectLimited } from './collect-limited.ts';
import { oweTwice } from './owe-twice.ts';
import { payBonusAgain } from './pay-bonus-again.ts';
import type { Step } from './step.ts';

const kinds: Kind[] = ['stake-payout', 'rank-bonus'];
const jobRanks = ['Silver', 'Silver', 'Silver', 'Gold'] as const;
const deaths = 0.15;

type Choose = (model: Model, chance: Chance) => Step;

/** Chooses the steps of a sequence: mostly at random, and in some sequences towards what chance hardly reaches. */
export function chooserOf(chance: Chance): Choose {
  if (chance.happens(0.1)) return towards(oweTwice);
  if (chance.happens(0.15)) return towards(collectLimited);
  return chance.happens(0.1) ? towards(payBonusAgain) : choose;
}

const towards =
  (next: (model: Model) => Step | undefined): Choose =>
  (model, chance) => {
    const [open] = model.runs.filter(isLive);
    return (open ? moveOn(open, chance) : next(model)) ?? choose(model, chance);
  };

/** Chooses what happens next: mostly what moves an open run on, and sometimes what must be refused. */
function choose(model: Model, chance: Chance): Step {
  const open = model.runs.filter(isLive);
  const returning = open.flatMap(usersToLock);
  if (returning.length > 0 && chance.happens(0.2)) return spendAll(model, chance.one(returning));
  if (open.length > 0 && chance.happens(0.55)) return moveOn(chance.one(open), chance);
  if (chance.happens(0.35)) return disturb(model, chance);
  if (model.runs.length > 0 && chance.happens(0.65)) return repair(model, chance);
  return chance.happens(0.3) ? { name: 'next day' } : { name: 'plan', kind: chance.one(kinds) };
}

/** The users of an open reversal that is going to lock their stakes again. */
const usersToLock = ({ reverses, chunks }: Run) =>
  reverses === null
    ? []
    : (chunks ?? [])
        .filter(({ isPaid }) => !isPaid)
        .flatMap(({ lines }) => lines.filter(({ returned }) => returned > 0n).map(({ user }) => user));

function spendAll(model: Model, id: string): Step {
  const { available } = userOf(model, id);
  return available > 0n ? { name: 'spend', user: id, units: available } : { name: 'next day' };
}

function moveOn({ id: run, state }: Run, chance: Chance): Step {
  const isStray = chance.happens(0.12);
  if (isStray) return { name: 'steer', run, step: chance.one(['pause', 'resume', 'cancel', 'cancel'] as const) };
  if (state === 'planning') return { name: 'make plan', run, dies: chance.happens(deaths) };
  if (state === 'planned') return { name: 'start', run };
  if (state === 'waiting') {
    return { name: 'decide', run, isMaker: chance.happens(0.2), approves: chance.happens(0.8) };
  }
  if (state === 'paused') return { name: 'steer', run, step: chance.happens(0.8) ? 'resume' : 'cancel' };
  return { name: 'pay', dies: chance.happens(deaths) };
}

/**
 * Pays again or reverses, for everyone or for one user, whether that is possible or not. Users who owe something are
 * chosen more often, because most rules are about them.
 */
function repair(model: Model, chance: Chance): Step {
  const { id: run } = chance.one(model.runs);
  const owing = model.users.filter(({ owed }) => owed > 0n);
  const isForOwing = owing.length > 0 && chance.happens(0.6);
  const user = chance.one(isForOwing ? owing : model.users).id;
  if (chance.happens(0.5)) return { name: 'reverse', run, user: isForOwing || chance.happens(0.4) ? user : null };
  return chance.happens(0.5) ? { name: 'pay again', run, user } : { name: 'replan', run };
}

/** What happens around the runs. */
function disturb(model: Model, chance: Chance): Step {
  const user = chance.one(model.users);
  const kind = chance.whole(20);
  if (kind < 6) return { name: 'block', user: user.id, isBlocked: !user.isBlacklisted };
  if (kind < 7) return { name: 'delete', user: user.id };
  if (kind < 10) {
    const others = (['none', 'Silver', 'Gold'] as const).filter((rank) => rank !== user.ranks.at(-1)?.rank);
    return { name: 'promote', user: user.id, rank: chance.one(others) };
  }
  if (kind < 13) return save(model, chance);
  const rich = model.users.filter(({ available }) => available > 0n);
  if (rich.length === 0) return { name: 'next day' };
  const { id, available } = chance.one(rich);
  const part = BigInt(1 + chance.whole(100));
  return { name: 'spend', user: id, units: (available * part + 99n) / 100n };
}

function save({ now }: Model, chance: Chance): Step {
  const from = dayOf(now + (chance.whole(6) - 4) * dayMs);
  const [base, bonus] = [chance.whole(50), chance.whole(30)];
  const payout = { enabled: true, baseReward: base, bonusReward: bonus, loyaltyReward: chance.whole(20) };
  const rankBonus = { rank: chance.one(jobRanks), bonusAmount: `${1 + chance.whole(50)}.00` };
  const settings: Settings = chance.happens(0.5)
    ? { kind: 'stake-payout', value: payout }
    : { kind: 'rank-bonus', value: rankBonus };
  return { name: 'save', settings, from };
}
