import { setTimeout as wait } from 'node:timers/promises';
import type { Feature } from 'contract/core/endpoint.ts';
import { listen } from '#server/core/db/listen.ts';
import { channel, readEvent } from '#server/core/events/events.ts';
import type { Log } from '#server/core/log.ts';

type Loop = {
  name: `${string}.${string}`;
  /** The features whose announcements can mean new work. */
  wakesOn: readonly Feature[];
  /**
   * Works until nothing is left, or until the signal aborts and the work in hand is done. Returns 'waiting' if other
   * processes are still at work, whose share it takes over if they die.
   */
  work: (signal: AbortSignal) => Promise<'idle' | 'waiting'>;
};

/** Announcements wake the loop. It also looks by itself, because an announcement can be lost with its connection. */
const pauseMs = { idle: 10_000, waiting: 500 };
const afterErrorMs = { first: 500, longest: 10_000 };

/** Runs the work of a loop again and again until `stop`, which waits for the work in hand. Survives every error. */
export async function startLoop({ url, log }: { url: string; log: Log }, { name: job, wakesOn, work }: Loop) {
  const stopping = new AbortController();
  let awake = new AbortController();
  const wake = () => awake.abort();
  const listener = await listen(
    { url, role: 'bursar_worker', channel },
    {
      onMessage: (payload) => {
        const { feature, id } = readEvent(payload);
        if (id === null || wakesOn.some((name) => name === feature)) wake();
      },
      onReconnect: wake,
      onLostConnection: (error) => log.warn({ error }, 'announcements are interrupted'),
    },
  );
  const sleep = (ms: number, signals: AbortSignal[]) =>
    wait(ms, undefined, { signal: AbortSignal.any([stopping.signal, ...signals]) }).catch(() => undefined);

  const run = async () => {
    let errorPauseMs = afterErrorMs.first;
    while (!stopping.signal.aborted) {
      // Renewed before the work, so that an announcement during the work is not lost.
      awake = new AbortController();
      try {
        const rest = await work(stopping.signal);
        errorPauseMs = afterErrorMs.first;
        await sleep(pauseMs[rest], [awake.signal]);
      } catch (error) {
        log.error({ job, error }, 'failed');
        await sleep(errorPauseMs, []);
        errorPauseMs = Math.min(errorPauseMs * 2, afterErrorMs.longest);
      }
    }
  };

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      await listener.stop();
    },
  };
}
