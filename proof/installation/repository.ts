import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { logProgress } from '../processes/verdict.ts';
import { linesOf } from './documents.ts';
import type { Machine } from './machine.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Publishes the current files as a repository from which the machine's account clones and pulls. */
export async function publish(machine: Machine) {
  const folder = machine.own('origin');
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const files = listed.toString('utf8').split('\n').filter(Boolean);
  // A file that is deleted but not committed is still listed.
  for (const file of files.filter((name) => existsSync(path.join(root, name)))) {
    cpSync(path.join(root, file), path.join(folder, file));
  }
  const { account } = machine.home;
  if (account) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, folder]);

  async function type(cwd: string, lines: readonly string[]) {
    for (const line of lines) {
      logProgress(line.replace(/ +#.*/, ''));
      const { code, output } = await machine.type(line, { cwd });
      if (code !== 0) throw new Error(`"${line}" ended with ${code}:\n${output}`);
    }
  }
  const commit = (subject: string) =>
    type(folder, ['git add --all', `git -c user.name=proof -c user.email=proof@localhost commit -q -m '${subject}'`]);

  await type(folder, ['git init -q -b main']);
  await commit('First version');
  const installed = path.join(machine.folder, 'installed');

  const clone = (into: string) => type(machine.folder, [`git clone -q ${folder} ${into}`]);

  return {
    installed,
    clone,
    /** Clones the repository and installs the packages, once for all installations. */
    async install() {
      await clone(machine.own('installed'));
      await type(installed, linesOf('README.md', 'install'));
    },
    async copyInstalled(name: string) {
      await type(machine.own(name), [`cp -a ${installed}/. .`]);
      return path.join(machine.folder, name);
    },
    /** Commits a next version with one more table. */
    async release(name: string) {
      writeFileSync(path.join(folder, 'server/migrations', `${name}.sql`), `create table t${name} (id int);\n`);
      await commit('Next version');
    },
  };
}
