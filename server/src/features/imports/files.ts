import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import path from 'node:path';

const parts = ['users', 'balances', 'stakes', 'withdrawals', 'tickets'] as const;
export type Part = (typeof parts)[number];

export type ImportFile = {
  part: Part;
  /** The name of the file, without its folder. */
  name: string;
  path: string;
  format: 'csv' | 'ndjson';
  sha256: string;
};

/** Finds the files of an import. Fails if there are no users, or if a part is there in both formats. */
export async function findFiles(folder: string): Promise<ImportFile[]> {
  const found: ImportFile[] = [];
  for (const part of parts) {
    const formats = (['csv', 'ndjson'] as const).filter((format) => existsSync(path.join(folder, `${part}.${format}`)));
    if (formats.length > 1) throw new Error(`${folder} has both ${part}.csv and ${part}.ndjson. Remove one of them.`);
    for (const format of formats) {
      const name = `${part}.${format}`;
      const place = path.join(folder, name);
      found.push({ part, name, path: place, format, sha256: await digestOf(place) });
    }
  }
  if (found[0]?.part !== 'users') throw new Error(`${folder} has neither users.csv nor users.ndjson.`);
  return found;
}

async function digestOf(place: string) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(place)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
