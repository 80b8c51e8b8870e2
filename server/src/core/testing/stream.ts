import { setTimeout as wait } from 'node:timers/promises';
import { LiveEvent } from 'contract/events.ts';

type Heard = LiveEvent & { at: number };

/** Opens the event stream as a panel does and collects its events. */
export async function openStream(address: string, headers: Record<string, string>) {
  const leaving = new AbortController();
  const response = await fetch(`${address}/api/events`, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: leaving.signal,
  });
  const events: Heard[] = [];
  const stream = { status: response.status, headers: response.headers, events, ended: false };

  const read = async () => {
    const text = response.body?.pipeThrough(new TextDecoderStream());
    let rest = '';
    for await (const chunk of text ?? []) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
      events.push(...data.map((json) => ({ ...LiveEvent.parse(JSON.parse(json)), at: performance.now() })));
    }
  };
  const reading = read()
    .catch(() => undefined)
    .finally(() => {
      stream.ended = true;
    });

  return Object.assign(stream, {
    /** Waits for the first event with these fields. Events that were received earlier count. */
    async heard(like: Partial<LiveEvent>, withinMs = 2_000) {
      const wanted = (event: LiveEvent) =>
        Object.entries(like).every(([name, value]) =>
          Object.entries(event).some(([n, v]) => n === name && v === value),
        );
      return await eventually(() => events.find(wanted), withinMs);
    },
    async close() {
      leaving.abort();
      await reading;
    },
  });
}

/** Polls until `ask` returns a result, and throws after the timeout. */
export async function eventually<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 5_000,
): Promise<T> {
  const givingUp = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > givingUp) throw new Error(`It did not happen within ${withinMs} ms.`);
    await wait(10);
  }
}
