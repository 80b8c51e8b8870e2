import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** From a terminal without showing it, or as the first line of standard input; never as an argument that `ps` shows. */
export async function readPassword() {
  const terminal = process.stdin.isTTY;
  if (terminal) process.stderr.write('Password (12 characters at least): ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal });
  // Where nothing comes, nothing is the answer, and it is refused as such.
  const password = await Promise.race([lines.question(''), once(lines, 'close').then(() => '')]);
  lines.close();
  if (terminal) process.stderr.write('\n');
  return password;
}
