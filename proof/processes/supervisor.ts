import { setTimeout as wait } from 'node:timers/promises';
import type { Program } from './program.ts';

/** What a supervisor such as systemd waits before it starts a program again that ended by itself. */
const restartMs = 500;

export type Supervised = ReturnType<typeof supervise>;

/** Starts a program, and starts it again whenever it ends, until `stop`. */
export function supervise(name: string, start: () => Program) {
  let program = start();
  let pauseMs = restartMs;
  let isStopped = false;
  let wasKilled = false;
  let endedByItself = 0;

  const watching = (async () => {
    for (;;) {
      await program.ended;
      if (isStopped) return;
      if (!wasKilled) endedByItself += 1;
      await wait(pauseMs);
      [pauseMs, wasKilled] = [restartMs, false];
      if (isStopped) return;
      program = start();
    }
  })();

  return {
    name,
    readyOrThrow: () => program.readyOrThrow(),
    endedByItself: () => endedByItself,
    /** Kills it without warning. It is started again after the pause. */
    async kill(pause: number) {
      [pauseMs, wasKilled] = [pause, true];
      await program.kill();
    },
    async stop() {
      isStopped = true;
      await program.kill();
      await watching;
    },
  };
}
