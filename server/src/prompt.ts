import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Reads a password from the terminal without echo, or from the first line of stdin. `ps` would show an argument. */
export async function readPassword() {
  const terminal = process.stdin.isTTY;
  if (terminal) process.stderr.write('Password (12 characters at least): ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal });
  // If stdin closes without input, the password is empty and is refused later.
  const password = await Promise.race([lines.question(''), once(lines, 'close').then(() => '')]);
  lines.close();
  if (terminal) process.stderr.write('\n');
  return password;
}
