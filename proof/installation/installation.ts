import { setTimeout as wait } from 'node:timers/promises';
import { logProgress } from '../processes/verdict.ts';
import type { Server } from './cluster.ts';
import { blockOf, type Document, linesOf, replaced } from './documents.ts';
import type { Machine, Started } from './machine.ts';

export type Installation = ReturnType<typeof installationOf>;

export const firstPassword = 'three green boats at dawn';

const patienceMs = 60_000;

type Place = { machine: Machine; server: Server; folder: string; apiPort: number };

/** Returns an installation: a folder in which the proof types the commands of the documents. */
export function installationOf({ machine, server, folder, apiPort }: Place) {
  const typed = {
    cwd: folder,
    input: `${firstPassword}\n`,
    preamble: server.preamble,
    variables: { PORT: String(apiPort) },
  };
  let programs: Started[] = [];

  /** Types a block into one shell. Fails at the first line that fails. */
  async function follow(document: Document, name: string, replacements: Record<string, string> = {}) {
    for (const line of linesOf(document, name)) logProgress(`${server.name}: ${line.replace(/ +#.*/, '')}`);
    const { code, output } = await machine.type(replaced(blockOf(document, name), replacements), typed);
    if (code !== 0) throw new Error(`"${name}" of ${document} ended with ${code}:\n${output}`);
    return output;
  }

  /** Starts the API and a worker as documented, and waits until both are ready. */
  async function start() {
    programs = linesOf('README.md', 'start').map((line) => machine.start(line, typed));
    await Promise.all(programs.map((program) => isUp(program)));
    return programs;
  }

  async function isUp(program: Started) {
    for (const latest = Date.now() + patienceMs; Date.now() < latest; await wait(50)) {
      if (/"(listening|working)"/.test(program.output())) return;
      if (program.hasEnded()) break;
    }
    throw new Error(`A program did not start:\n${program.output()}`);
  }

  return {
    server,
    folder,
    follow,
    start,
    type: (line: string) => machine.type(line, typed),
    run: (line: string) => machine.start(line, typed),
    isUp,
    /** Stops both with SIGTERM. Returns their exit codes. */
    async stop() {
      const codes = await Promise.all(programs.map((program) => program.stop()));
      programs = [];
      return codes;
    },
  };
}
