import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newKeys } from '../server/src/setup/init.ts';

/**
 * Returns the variables that a development process needs besides its database. They are created once and kept out of
 * the repository; variables that a newer version needs are added.
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
