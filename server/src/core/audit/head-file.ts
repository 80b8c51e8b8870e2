import { type KeyObject, sign, verify } from 'node:crypto';
import { appendFile, open, readFile } from 'node:fs/promises';
import { z } from 'zod';

/** The number and the seal of the newest row at a time. */
export type Head = z.output<typeof Head>;
export const Head = z.strictObject({ seq: z.string(), seal: z.string(), at: z.string(), signature: z.string() });

/**
 * Says that the database was restored from a backup: in earlier lines, heads from row `lostFrom` on belong to lost rows.
 * This line is also the head of the row in which the second administrator signed.
 */
export type Restore = z.output<typeof Restore>;
const Restore = z.strictObject({
  ...Head.shape,
  lostFrom: z.string(),
  signedBy: z.tuple([z.string(), z.string()]),
});

export type HeadLine = Head | Restore;
const HeadLine = z.union([Head, Restore]);

export const isRestore = (line: HeadLine): line is Restore => 'lostFrom' in line;

type Unsigned<Line> = Line extends unknown ? Omit<Line, 'signature'> : never;

/** What the signature covers. */
function coveredBy(line: Unsigned<HeadLine>) {
  const head = `${line.seq} ${line.seal} ${line.at}`;
  return Buffer.from('lostFrom' in line ? `restore ${head} ${line.lostFrom} ${JSON.stringify(line.signedBy)}` : head);
}

export const signLine = <Line extends HeadLine>(line: Unsigned<Line>, signingKey: KeyObject) =>
  ({ ...line, signature: sign(null, coveredBy(line), signingKey).toString('base64') }) as Line;

export const isGenuine = (line: HeadLine, verifyingKey: KeyObject) =>
  verify(null, coveredBy(line), verifyingKey, Buffer.from(line.signature, 'base64'));

export const appendLine = (headFile: string, line: HeadLine) => appendFile(headFile, `${JSON.stringify(line)}\n`);

const isAbsent = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Returns all lines, the oldest first. Throws if one of them is not a head. */
export async function readLines(headFile: string): Promise<HeadLine[]> {
  const text = await readFile(headFile, 'utf8').catch((error: unknown) => {
    if (isAbsent(error)) return '';
    throw error;
  });
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line, index) => {
    try {
      return HeadLine.parse(JSON.parse(line));
    } catch (cause) {
      throw new Error(`Line ${index + 1} of ${headFile} is not a head.`, { cause });
    }
  });
}

/** More than any line has. */
const tailBytes = 4_096;

/** Returns the last line, or undefined if there is none that can be read. It does not read the rest of the file. */
export async function readLastLine(headFile: string): Promise<HeadLine | undefined> {
  const file = await open(headFile).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const length = Math.min(size, tailBytes);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const last = buffer.toString('utf8').trimEnd().split('\n').at(-1) ?? '';
    return HeadLine.parse(JSON.parse(last));
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}
