import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Each proof is a file of this folder; what a proof is made of lies in a folder with its name. */
const proofs = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== path.basename(import.meta.filename))
  .map((file) => path.basename(file, '.ts'));

const asked = process.argv[2]?.toLowerCase();
const found = proofs.find((name) => name.toLowerCase() === asked);
if (!found) {
  console.error(`npm run proof -- NAME [--full], where NAME is one of: ${proofs.join(', ')}`);
  process.exit(2);
}
await import(`./${found}.ts`);
