import { type Client, createClient } from '../client/src/client.ts';
import type { Result } from '../client/src/items.ts';

/** A call is tried again for this long, because Bursar is killed and comes back. */
const giveUpAfterMs = 300_000;
const attemptTimeoutMs = 10_000;

type Sent<Code extends string> = (client: Client) => Promise<Result<Code>[]>;
type Outcome<Code extends string> = 'taken' | Code;

export type Sender = ReturnType<typeof openSender>;

type Settings = { addresses: readonly string[]; apiKey: string; fault: (text: string) => void };

/** Sends to each of the addresses in turn. */
export function openSender({ addresses, apiKey, fault }: Settings) {
  const clients = addresses.map((url) => createClient({ url, apiKey, attemptTimeoutMs, giveUpAfterMs }));
  let turns = 0;
  const next = () => {
    turns += 1;
    const client = clients[turns % clients.length];
    if (!client) throw new Error('There is no address to send to.');
    return client;
  };

  return {
    next,

    /** Sends one item and returns what became of it. With `isRepeated`, it is sent once more and must be known. */
    async one<Code extends string>(send: Sent<Code>, { isRepeated = false } = {}): Promise<Outcome<Code>> {
      const [result] = await send(next());
      if (!result) throw new Error('Bursar answered without a result.');
      if (result.outcome === 'refused') return result.code;
      if (isRepeated) {
        const [again] = await send(next());
        if (again?.outcome !== 'duplicate') fault(`${result.id} was sent twice and is ${JSON.stringify(again)}`);
      }
      return 'taken';
    },
  };
}
