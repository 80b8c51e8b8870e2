import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, callerAt } from '../proof/processes/caller.ts';

const pauseMs = 200;
/** An API that was killed is back long before. */
const patienceMs = 180_000;

type Account = { addresses: readonly string[]; username: string; password?: string };

export type Administrator = Awaited<ReturnType<typeof signIn>>;

/** Signs an administrator in. Each of their calls is repeated, at every address in turn, until a server answers. */
export async function signIn({ addresses, username, password }: Account) {
  const callers = addresses.map((address) => callerAt(address));
  let turns = 0;

  async function untilAnswered<T>(what: string, act: (caller: (typeof callers)[number]) => Promise<T | undefined>) {
    for (const latest = Date.now() + patienceMs; Date.now() < latest; await wait(pauseMs)) {
      turns += 1;
      const caller = callers[turns % callers.length];
      const answer = caller && (await act(caller).catch(() => undefined));
      if (answer !== undefined) return answer;
    }
    throw new Error(`No server answered ${what} within ${patienceMs / 1_000} seconds.`);
  }

  const [first] = callers;
  if (!first) throw new Error('There is no address to sign in at.');
  const token = await first.signIn(username, password);
  const isAnswer = ({ status }: Answer) => status < 500 && status !== 429;

  /** Throws unless the answer is 200. */
  async function read(path: string) {
    const { status, json } = await untilAnswered(path, async (caller) => {
      const answer = await caller.call('GET', path, { token });
      return isAnswer(answer) ? answer : undefined;
    });
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
    return json;
  }

  return {
    username,
    read,

    /** Reads all pages of a list. `name` is the field that has its rows. */
    async readAll<Row>(path: string, name: string) {
      const rows: Row[] = [];
      let cursor: string | null = null;
      do {
        const address = new URL(path, 'http://bursar');
        address.searchParams.set('limit', '100');
        if (cursor !== null) address.searchParams.set('cursor', cursor);
        const page = await read(`${address.pathname}${address.search}`);
        rows.push(...(page[name] as Row[]));
        cursor = page['nextCursor'] as string | null;
      } while (cursor !== null);
      return rows;
    },

    /** Sends all attempts under one idempotency key, so that a call that moves money has one effect. */
    post(path: string, body?: object): Promise<Answer> {
      const key = randomUUID();
      return untilAnswered(path, async (caller) => {
        const answer = await caller.call('POST', path, { token, key, ...(body && { body }) });
        return isAnswer(answer) ? answer : undefined;
      });
    },
  };
}

/** Returns the body of an answer. Throws unless it is 200. */
export function accepted({ status, json }: Answer) {
  if (status !== 200) throw new Error(`The call was refused: ${status} ${JSON.stringify(json)}`);
  return json;
}
