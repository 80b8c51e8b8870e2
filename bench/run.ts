import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Each bench is a file of this folder; what a bench is made of lies in a folder with its name. */
const benches = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== path.basename(import.meta.filename))
  .map((file) => path.basename(file, '.ts'));

const asked = process.argv[2];
const found = benches.find((name) => name === asked);
if (!found) {
  console.error(`npm run bench -- NAME [--full], where NAME is one of: ${benches.join(', ')}`);
  process.exit(2);
}
await import(`./${found}.ts`);
