import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newKeys } from '../server/src/setup/init.ts';

/**
 * What a process of this machine's own needs besides its database. Made once, kept out of the repository; what an
 * older version did not need yet is added.
 */
export async function developmentKeys(folder: string): Promise<Record<string, string>> {
  const file = path.join(folder, 'keys.json');
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const kept = JSON.parse(text) as Record<string, string>;
  const keys = { ...newKeys(), BURSAR_AUDIT_HEAD_FILE: path.join(folder, 'audit-head.jsonl'), ...kept };
  if (Object.keys(keys).length === Object.keys(kept).length) return kept;
  await mkdir(folder, { recursive: true });
  await writeFile(file, JSON.stringify(keys, null, 2), { mode: 0o600 });
  return keys;
}
