import { execFile } from 'node:child_process';
import { open, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const pieceBytes = 256 * 1024;

/** Runs a command that only root may run. */
const asRoot = (...command: [string, ...string[]]) =>
  process.getuid?.() === 0 ? run(command[0], command.slice(1)) : run('sudo', ['-n', ...command]);

/** Mounts a small file system of its own, which can be filled to the last byte and emptied again. Needs root. */
export async function openSmallDisk(megabytes: number) {
  const folder = await mkdtemp(path.join(tmpdir(), 'bursar-small-disk-'));
  await asRoot('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', folder);
  const filler = path.join(folder, 'filler');
  return {
    folder,
    /** Uses up all space that is left, also what is freed meanwhile. */
    async fill() {
      const file = await open(filler, 'a');
      const piece = Buffer.alloc(pieceBytes);
      try {
        for (let bytes = pieceBytes; bytes >= 1; ) {
          const written = await file.write(piece, 0, bytes).catch((reason: unknown) => {
            if (reason instanceof Error && 'code' in reason && reason.code === 'ENOSPC') return undefined;
            throw reason;
          });
          if (written === undefined) bytes = Math.floor(bytes / 2);
        }
      } finally {
        await file.close();
      }
    },
    empty: () => rm(filler, { force: true }),
    async remove() {
      await asRoot('umount', folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
