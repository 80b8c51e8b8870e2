import { addAdmin } from '../../server/src/core/testing/server.ts';
import { freePort } from '../../tools/ports.ts';
import { type Caller, callerAt } from '../processes/caller.ts';
import type { Code } from '../processes/code.ts';
import { startProgram } from '../processes/program.ts';
import type { Fixture } from '../processes/fixture.ts';

export type SignedInAdmin = { username: string; id: string; token: string };
export type ProcessGroup = { callers: Caller[]; admins: SignedInAdmin[]; close(): Promise<void> };

const usernames = ['ann', 'bob', 'cem'];

/** Starts two API processes and a worker on one database, and signs in three administrators. */
export async function startProcesses({ owner, environment }: Fixture, code: Code): Promise<ProcessGroup> {
  const ports = [await freePort(), await freePort()];
  const programs = [
    ...ports.map((port) =>
      startProgram({
        code,
        program: 'main.ts',
        environment: { ...environment, PORT: String(port), DATABASE_CONNECTIONS: '20' },
      }),
    ),
    startProgram({ code, program: 'worker.ts', environment }),
  ];
  const callers = ports.map((port) => callerAt(`http://127.0.0.1:${port}`));
  const added: { id: string; username: string }[] = [];
  for (const username of usernames) {
    const { id } = await addAdmin(owner, { username, role: 'SuperAdmin' });
    added.push({ id, username });
  }
  await Promise.all(programs.map((program) => program.readyOrThrow()));
  const admins: SignedInAdmin[] = [];
  for (const admin of added) {
    const [caller] = callers;
    if (caller) admins.push({ ...admin, token: await caller.signIn(admin.username) });
  }
  return {
    callers,
    admins,
    async close() {
      await Promise.all(programs.map((program) => program.kill()));
    },
  };
}
