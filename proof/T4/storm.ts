import { setTimeout as wait } from 'node:timers/promises';
import type { Chance } from '../processes/chance.ts';
import type { ProcessGroup, SignedInAdmin } from './process-group.ts';

export const callsAtOnce = 50;

type Call = { path: string; body: unknown };
type Outcome = { admin: SignedInAdmin; status: number; code: string; busy: number };

const triesAtMost = 20;
const pauseMs = 250;

/** So many calls for the same thing at once, by everyone and at both servers. Who is told to come back does so. */
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

/** What was answered, and how often the asker was told that it was done. */
export function count(tally: Tally, outcomes: Outcome[], requestedBy: string) {
  for (const { admin, status, code, busy } of outcomes) {
    tally.calls += 1;
    tally.busy += busy;
    const said = status === 200 ? 'done' : `${status} ${code}`;
    tally.answers[said] = (tally.answers[said] ?? 0) + 1;
    if (status === 200) tally.done += 1;
    if (status === 200 && admin.id === requestedBy) tally.selfDone += 1;
  }
}

/** Whoever is refused is told why: nobody meets a server that broke, or that is busy for good. */
export const nobodyMetAFault = ({ answers }: Tally) =>
  Object.keys(answers).every((said) => said === 'done' || said.startsWith('409 '));
