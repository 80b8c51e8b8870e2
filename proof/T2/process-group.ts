import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../tools/ports.ts';
import type { Code } from '../processes/code.ts';
import { type Program, type Start, startProgram } from '../processes/program.ts';
import type { Fixture } from '../processes/fixture.ts';

export type ProcessGroup = Awaited<ReturnType<typeof startProcesses>>;
type Place = { name: string; start: Start; program: Program };

/** Starts one API and the given number of workers. A killed process is started again in its place. */
export async function startProcesses({ environment }: Fixture, { code, workers }: { code: Code; workers: number }) {
  const port = await freePort();
  const restarts: Date[] = [];
  const own = (name: string) => ({ ...environment, PGAPPNAME: name });
  const take = (name: string, start: Start): Place => ({ name, start, program: startProgram(start) });
  const places = [
    take('api', { code, program: 'main.ts', environment: { ...own('api'), PORT: String(port) } }),
    ...Array.from({ length: workers }, (_, at) =>
      take(`worker ${at + 1}`, { code, program: 'worker.ts', environment: own(`worker ${at + 1}`) }),
    ),
  ];

  const restart = (place: Place) => {
    place.program = startProgram(place.start);
    restarts.push(place.program.startedAt);
  };

  return {
    address: `http://127.0.0.1:${port}`,
    restarts,
    places,
    allReady: () => Promise.all(places.map(({ program }) => program.readyOrThrow())),
    /** Kills the process without warning and starts it again after the pause. */
    async killAndRestart(place: Place, pauseMs: number) {
      await place.program.kill();
      await wait(pauseMs);
      restart(place);
    },
    /** Deploys a new version as an operator would: stops the workers one by one and starts each from the new code. */
    async rollOnto(code: Code) {
      for (const place of places.filter(({ start }) => start.program === 'worker.ts')) {
        await place.program.stop();
        place.start = { ...place.start, code };
        restart(place);
        await place.program.readyOrThrow();
      }
    },
    /** Starts one more worker whose connections carry this name. */
    extra: (name: string) => take(name, { code, program: 'worker.ts', environment: own(name) }).program,
    killAll: () => Promise.all(places.map(({ program }) => program.kill())),
  };
}
