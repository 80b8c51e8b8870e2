import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { BursarError } from '../client/src/errors.ts';
import type { Outcome } from '../client/src/items.ts';
import type { Sender } from './sender.ts';
import type { Withdrawal, World } from './world.ts';

type Reported = Outcome['outcome'];

/** What becomes of the transaction of a withdrawal, as the platform learns it. Some stay unknown. */
const stories: readonly (readonly Reported[])[] = [
  ['sent', 'confirmed'],
  ['sent', 'confirmed'],
  ['sent', 'confirmed'],
  ['confirmed'],
  ['confirmed'],
  ['sent', 'failed'],
  ['sent', 'failed'],
  ['failed'],
  ['sent', 'unknown', 'confirmed'],
  ['sent', 'unknown', 'confirmed'],
  ['sent', 'unknown', 'failed'],
  ['sent', 'unknown'],
  ['unknown'],
];

type Settings = {
  world: World;
  sender: Sender;
  seed: number;
  /** The longest time between two things that the platform learns. */
  longestPauseMs: number;
};

type WithdrawalRequest = { withdrawalId: string; platformId: string | null; withdrawal: Withdrawal };

export type Payments = ReturnType<typeof openPayments>;

/** Sends withdrawals, and reports what becomes of each until Bursar has answered. The seed decides what that is. */
export function openPayments({ world, sender, seed, longestPauseMs }: Settings) {
  const underWay = new Set<Promise<void>>();

  async function send({ withdrawalId, platformId, withdrawal }: WithdrawalRequest) {
    const dice = hash('sha256', `${seed} ${withdrawal.id}`, 'buffer').readUInt32LE();
    // Both names are valid.
    const id = dice % 2 === 0 ? withdrawalId : (platformId ?? withdrawalId);
    for (const outcome of stories[dice % stories.length] ?? []) {
      await wait((longestPauseMs * ((dice >>> 8) % 100)) / 100);
      await report(id, withdrawal, outcome);
    }
    if (dice % 7 === 0) await contradict(id, withdrawal);
  }

  async function report(id: string, withdrawal: Withdrawal, outcome: Reported) {
    const needsReference = outcome === 'sent' || (outcome === 'confirmed' && withdrawal.reference === undefined);
    if (needsReference) withdrawal.reference = `tx-${withdrawal.id}`;
    // Before the report: nothing may be confirmed earlier than here.
    if (outcome === 'confirmed' || outcome === 'failed') withdrawal.decided = outcome;
    const { state } = await sender.next().reportWithdrawal(id, {
      outcome,
      ...(needsReference && { reference: withdrawal.reference }),
      ...(outcome === 'failed' && { reason: 'The network refused the transaction.' }),
    });
    if (state !== outcome) world.fault(`${withdrawal.id} was reported as ${outcome}, and Bursar answered ${state}`);
    withdrawal.state = outcome;
    world.count(`withdrawals ${outcome}`);
    const { user, units } = withdrawal;
    if (outcome === 'confirmed') world.books.move({ user, asset: 'USD', from: 'held', to: 'outside', units });
    if (outcome === 'failed') world.books.move({ user, asset: 'USD', from: 'held', to: 'available', units });
  }

  /** A report that contradicts the end of a withdrawal must be refused. */
  async function contradict(id: string, { decided, reference }: Withdrawal) {
    if (decided === undefined) return;
    const opposite: Outcome =
      decided === 'failed' ? { outcome: 'confirmed', reference } : { outcome: 'failed', reason: 'It came back.' };
    const answer = await sender
      .next()
      .reportWithdrawal(id, opposite)
      .catch((error: unknown) => error);
    if (!(answer instanceof BursarError && answer.code === 'WithdrawalSettled')) {
      world.fault(`${id} was ${decided}, and a contradicting report was answered with ${String(answer)}`);
    }
    world.count('contradictions refused');
  }

  return {
    /** Starts to send a withdrawal that Bursar asks for. */
    send(request: WithdrawalRequest) {
      const sending = send(request)
        .catch((error: unknown) => world.fault(`${request.withdrawal.id} was not reported: ${String(error)}`))
        .finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    isIdle: () => underWay.size === 0,
  };
}
