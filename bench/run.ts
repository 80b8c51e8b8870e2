import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Each file of this folder is a bench; its parts are in a folder with its name. */
const benches = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== path.basename(import.meta.filename))
  .map((file) => path.basename(file, '.ts'));

const requested = process.argv[2];
const found = benches.find((name) => name === requested);
if (!found) {
  console.error(`npm run bench -- NAME [--full], where NAME is one of: ${benches.join(', ')}`);
  process.exit(2);
}
await import(`./${found}.ts`);
