import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../tools/ports.ts';
import { type Answer, callerAt } from '../processes/caller.ts';
import type { Chance } from '../processes/chance.ts';
import type { Code } from '../processes/code.ts';
import type { Fixture } from '../processes/fixture.ts';
import { startProgram } from '../processes/program.ts';
import { logProgress } from '../processes/verdict.ts';

const patienceMs = 60_000;
const pauseMs = 100;

type Given = { code: Code; environment: Fixture['environment']; chance: Chance };
type Request = { path: string; token: string; body: object; key?: string };

/** Starts two servers on one database. */
export async function startServers({ code, environment, chance }: Given) {
  const ports = [await freePort(), await freePort()];
  const starts = ports.map((port) => ({
    code,
    program: 'main.ts' as const,
    environment: { ...environment, PORT: String(port), DATABASE_CONNECTIONS: '20' },
  }));
  const programs = starts.map((start) => startProgram(start));
  await Promise.all(programs.map((program) => program.readyOrThrow()));
  const callers = ports.map((port) => callerAt(`http://127.0.0.1:${port}`));

  return {
    signIn: async (username: string) => (await callers[0]?.signIn(username)) ?? '',

    /** Retries until a server responds, as a client does that must know the outcome. */
    async sendUntilAnswered({ path, ...request }: Request): Promise<Answer | undefined> {
      const latest = Date.now() + patienceMs;
      for (;;) {
        const answer = await chance
          .one(callers)
          .call('POST', path, request)
          .catch(() => undefined);
        if (answer && answer.status < 500) return answer;
        if (Date.now() > latest) return undefined;
        await wait(pauseMs);
      }
    },

    /** Spreads the kills over the whole work; a killed server is restarted soon. */
    async killDuring({ kills, total, done }: { kills: number; total: number; done: () => number }) {
      for (let kill = 1; kill <= kills; kill += 1) {
        while (done() < (total * kill) / (kills + 1)) await wait(20);
        const place = chance.whole(programs.length);
        const [program, start] = [programs[place], starts[place]];
        if (!program || !start) continue;
        await program.kill();
        await wait(chance.below(500));
        programs[place] = startProgram(start);
        await programs[place].readyOrThrow();
        logProgress(`kill ${kill}: a server, after ${done()} of ${total}`);
      }
    },

    stop: () => Promise.all(programs.map((program) => program.kill())),
  };
}

/** Processes all items, at most `atOnce` at a time. */
export async function inParallel<T, R>(all: readonly T[], atOnce: number, work: (one: T) => Promise<R>) {
  const results: R[] = [];
  const left = [...all];
  const lane = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) results.push(await work(one));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return results;
}
