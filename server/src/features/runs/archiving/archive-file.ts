import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { copyOut } from '#server/core/db/copy.ts';
import type { Database, Pool } from '#server/core/db/db.ts';
import { type Archive, linesBefore, selectColumns, type Written } from './archive-queries.ts';

export type ArchiveDeps = {
  database: Database;
  /** Its statement timeout is long enough for a whole file. */
  pool: Pool;
  folder: string;
};

/** Writes the lines as compressed CSV. Only a complete file gets its name, and it is on the disk when this returns. */
export async function writeArchive({ database, pool, folder }: ArchiveDeps, archive: Archive, signal: AbortSignal) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const finished = path.join(folder, archive.file);
  const unfinished = `${finished}.part`;
  const handle = await open(unfinished, 'w', 0o600);
  const file = handle.createWriteStream({ flush: true });
  const through = createGzip();
  through.write(`${(await selectColumns(database)).join(',')}\n`);
  const query = linesBefore(archive.until).compile(database);
  await copyOut(pool, { query, quoted: [], through, into: file, signal });
  await rename(unfinished, finished);
  await flushFolder(folder);
}

/** The new name must be on the disk as well before the lines are dropped. */
async function flushFolder(folder: string) {
  const handle = await open(folder);
  await handle.sync();
  await handle.close();
}

const lineFeed = 0x0a;

/** Reads a file back: its size, its digest, and how many lines it has besides its header. */
export async function inspectArchive(folder: string, { file }: Pick<Archive, 'file'>): Promise<Written> {
  const place = path.join(folder, file);
  const hash = createHash('sha256');
  await pipeline(createReadStream(place), hash);
  let breaks = 0n;
  const counter = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) breaks += 1n;
      done();
    },
  });
  await pipeline(createReadStream(place), createGunzip(), counter);
  const { size } = await stat(place);
  return { lines: breaks - 1n, bytes: BigInt(size), sha256: hash.digest('hex') };
}
