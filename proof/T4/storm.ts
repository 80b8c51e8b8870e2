import { setTimeout as wait } from 'node:timers/promises';
import type { Chance } from '../processes/chance.ts';
import type { ProcessGroup, SignedInAdmin } from './process-group.ts';

export const callsAtOnce = 50;

type Call = { path: string; body: unknown };
type Outcome = { admin: SignedInAdmin; status: number; code: string; busy: number };

const triesAtMost = 20;
const pauseMs = 250;

/** Sends the same call concurrently, from random administrators to random servers. A call that gets 503 is retried. */
export function storm({ callers, admins }: ProcessGroup, { path, body }: Call, chance: Chance): Promise<Outcome[]> {
  const calls = Array.from({ length: callsAtOnce }, async () => {
    const admin = chance.one(admins);
    const caller = chance.one(callers);
    for (let busy = 0; ; busy += 1) {
      const { status, json } = await caller.call('POST', path, { token: admin.token, body });
      const code = typeof json['code'] === 'string' ? json['code'] : '';
      if (status !== 503 || busy === triesAtMost) return { admin, status, code, busy };
      await wait(pauseMs);
    }
  });
  return Promise.all(calls);
}

export type Tally = { calls: number; done: number; selfDone: number; busy: number; answers: Record<string, number> };

export const emptyTally = (): Tally => ({ calls: 0, done: 0, selfDone: 0, busy: 0, answers: {} });

/** Adds the responses to the tally, and counts the successes of the requester. */
export function count(tally: Tally, outcomes: Outcome[], requestedBy: string) {
  for (const { admin, status, code, busy } of outcomes) {
    tally.calls += 1;
    tally.busy += busy;
    const label = status === 200 ? 'done' : `${status} ${code}`;
    tally.answers[label] = (tally.answers[label] ?? 0) + 1;
    if (status === 200) tally.done += 1;
    if (status === 200 && admin.id === requestedBy) tally.selfDone += 1;
  }
}

/** Checks that every call succeeded or was refused with 409: no server error, and no server that stays busy. */
export const allRefusedCleanly = ({ answers }: Tally) =>
  Object.keys(answers).every((label) => label === 'done' || label.startsWith('409 '));
