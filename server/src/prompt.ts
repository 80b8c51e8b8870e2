import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** From a terminal without showing it, or as the first line of standard input; never as an argument that `ps` shows. */
export async function readPassword() {
  const terminal = process.stdin.isTTY;
  if (terminal) process.stderr.write('Password (12 characters at least): ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal });
  const password = await lines.question('');
  lines.close();
  if (terminal) process.stderr.write('\n');
  return password;
}
