import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Reads a password from the terminal without echo, or from the first line of stdin. `ps` would show an argument. */
export async function readPassword() {
  const [password = ''] = await readPasswords(['Password (12 characters at least): ']);
  return password;
}

/** Reads one password after the other, each from a line of its own. */
export async function readPasswords(prompts: readonly string[]) {
  const terminal = process.stdin.isTTY;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal });
  const typed = lines[Symbol.asyncIterator]();
  const passwords: string[] = [];
  for (const prompt of prompts) {
    if (terminal) process.stderr.write(prompt);
    const line = await typed.next();
    // If stdin closes without input, the password is empty and is refused later.
    passwords.push(line.done ? '' : line.value);
    if (terminal) process.stderr.write('\n');
  }
  lines.close();
  return passwords;
}
