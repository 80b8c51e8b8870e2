import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Each file of this folder is a proof; its parts are in a folder with its name. */
const proofs = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== path.basename(import.meta.filename))
  .map((file) => path.basename(file, '.ts'));

const requested = process.argv[2]?.toLowerCase();
const found = proofs.find((name) => name.toLowerCase() === requested);
if (!found) {
  console.error(`npm run proof -- NAME [--full], where NAME is one of: ${proofs.join(', ')}`);
  process.exit(2);
}
await import(`./${found}.ts`);
