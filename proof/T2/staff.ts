import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../tools/ports.ts';
import type { Code } from '../processes/code.ts';
import { type Program, type Start, startProgram } from '../processes/program.ts';
import type { Site } from '../processes/site.ts';

export type Staff = Awaited<ReturnType<typeof hire>>;
type Place = { name: string; start: Start; program: Program };

/** One API and so many workers. Each has a place, which whoever is killed is started in again. */
export async function hire({ environment }: Site, { code, workers }: { code: Code; workers: number }) {
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
    /** Without a word, and back after a while. */
    async strike(place: Place, pauseMs: number) {
      await place.program.kill();
      await wait(pauseMs);
      restart(place);
    },
    /** As an operator brings out a new version: one worker after the other is asked to end, and started from it. */
    async rollOnto(code: Code) {
      for (const place of places.filter(({ start }) => start.program === 'worker.ts')) {
        await place.program.stop();
        place.start = { ...place.start, code };
        restart(place);
        await place.program.readyOrThrow();
      }
    },
    /** One more, known by its name among the connections. */
    extra: (name: string) => take(name, { code, program: 'worker.ts', environment: own(name) }).program,
    dismiss: () => Promise.all(places.map(({ program }) => program.kill())),
  };
}
