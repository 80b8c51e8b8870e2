import { open, readFile, truncate } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { PlatformEvent } from '../client/src/events.ts';

const newline = 0x0a;
const pollMs = 100;

type Line = PlatformEvent | { repeated: string };

/**
 * Opens the file to which a receiver writes events, one in each line. An event is in the file once: a message that
 * brings it again is only noted. The last line of a receiver that was killed while it wrote is dropped, because that
 * message was not answered and comes again.
 */
export async function openEventFile(file: string) {
  const written = await readFile(file).catch(() => Buffer.alloc(0));
  const complete = written.subarray(0, written.lastIndexOf(newline) + 1);
  if (complete.length < written.length) await truncate(file, complete.length);
  const known = new Set(linesOf(complete).flatMap((line) => ('id' in line ? [line.id] : [])));
  const handle = await open(file, 'a');
  let lane: Promise<unknown> = Promise.resolve();

  async function write(event: PlatformEvent) {
    const line: Line = known.has(event.id) ? { repeated: event.id } : event;
    await handle.appendFile(`${JSON.stringify(line)}\n`);
    await handle.datasync();
    known.add(event.id);
  }

  return {
    /** Resolves when the event is on the disk. */
    store(event: PlatformEvent) {
      const storing = lane.then(() => write(event));
      lane = storing.catch(() => undefined);
      return storing;
    },
  };
}

const linesOf = (bytes: Buffer) =>
  bytes
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

type Followed = { onEvent: (event: PlatformEvent) => void; onRepeated: () => void };

/** Calls a function for each event that a receiver writes to the file, in their order, until `stop`. */
export function followEvents(file: string, { onEvent, onRepeated }: Followed) {
  const stopping = new AbortController();
  /** The end of the last complete line. What comes after it can be dropped by the receiver. */
  let offset = 0;

  async function readMore() {
    const bytes = (await readFile(file).catch(() => Buffer.alloc(0))).subarray(offset);
    const complete = bytes.subarray(0, bytes.lastIndexOf(newline) + 1);
    offset += complete.length;
    for (const line of linesOf(complete)) {
      if ('id' in line) onEvent(line);
      else onRepeated();
    }
  }

  const following = (async () => {
    while (!stopping.signal.aborted) {
      await readMore();
      await wait(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    stop() {
      stopping.abort();
      return following;
    },
  };
}
