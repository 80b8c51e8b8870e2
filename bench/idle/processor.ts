import { readdir, readFile } from 'node:fs/promises';

/** Linux reports processor time in hundredths of a second, regardless of its internal clock. */
const ticksPerSecond = 100;

export async function parentOf(pid: number | undefined) {
  const stat = await statOf(pid);
  if (!stat) throw new Error(`Process ${pid} does not exist.`);
  return stat.parent;
}

/** Returns a process and its living children. */
export async function withChildren(parent: number) {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const stats = await Promise.all(pids.map(async (pid) => ({ pid, stat: await statOf(pid) })));
  return [parent, ...stats.filter(({ stat }) => stat?.parent === parent).map(({ pid }) => pid)];
}

/** Returns the user and system time of the processes and of their children that have exited. */
export async function processorSecondsOf(pids: (number | undefined)[]) {
  const stats = await Promise.all(pids.map(statOf));
  return stats.reduce((sum, stat) => sum + (stat?.ticks ?? 0), 0) / ticksPerSecond;
}

/** Returns undefined if the process has exited. */
async function statOf(pid: number | undefined) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The program's name is in parentheses and may itself contain spaces and parentheses.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const times = fields.slice(11, 15);
  return { parent: fields[1] ?? 0, ticks: times.reduce((sum, ticks) => sum + ticks, 0) };
}
