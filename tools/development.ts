import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** What a process of this machine's own needs besides its database. Made once, kept out of the repository. */
export async function developmentKeys(folder: string): Promise<Record<string, string>> {
  const file = path.join(folder, 'keys.json');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept) return JSON.parse(kept) as Record<string, string>;
  const signing = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' });
  const keys = {
    BURSAR_AUDIT_KEY: randomBytes(32).toString('base64'),
    BURSAR_AUDIT_SIGNING_KEY: signing.toString('base64'),
    BURSAR_AUDIT_HEAD_FILE: path.join(folder, 'audit-head.jsonl'),
  };
  await mkdir(folder, { recursive: true });
  await writeFile(file, JSON.stringify(keys, null, 2), { mode: 0o600 });
  return keys;
}
