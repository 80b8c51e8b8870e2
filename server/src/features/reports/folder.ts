import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Attempt } from './export-queries.ts';

export const finishedFile = (folder: string, id: string) => path.join(folder, `${id}.csv`);

/** Each attempt writes its own file; only a complete one is renamed to the name that is served. */
export const unfinishedFile = (folder: string, { id, attempt }: Attempt) => path.join(folder, `${id}.${attempt}.part`);

/** Creates the folder, accessible only to the processes of Bursar. */
export const openFolder = (folder: string) => mkdir(folder, { recursive: true, mode: 0o700 });

export const publishFile = (folder: string, attempt: Attempt) =>
  rename(unfinishedFile(folder, attempt), finishedFile(folder, attempt.id));

export const removeFile = (file: string) => rm(file, { force: true });

type Found = { file: string; id: string; attempt: number | undefined };

const ourNames = /^(?<id>[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.(?:csv|(?<attempt>\d+)\.part)$/;

/** Returns the files that were not written to for a while, including those left by a crash. */
export async function findQuietFiles(folder: string, quietMs: number): Promise<Found[]> {
  const names = await readdir(folder).catch(() => []);
  const found: Found[] = [];
  for (const name of names) {
    const { id, attempt } = ourNames.exec(name)?.groups ?? {};
    const file = path.join(folder, name);
    const changed = id && (await stat(file).catch(() => undefined))?.mtimeMs;
    if (id && changed && changed < Date.now() - quietMs) {
      found.push({ file, id, attempt: attempt === undefined ? undefined : Number(attempt) });
    }
  }
  return found;
}
