import { Transform, type TransformCallback } from 'node:stream';

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** The fewest bytes a line can have: four cells, two of them quoted, and a full date. */
const shortestLine = 16;

/** Ends every line with CRLF (RFC 4180) and counts the lines. Line breaks within quotes are part of a cell and kept. */
export class Lines extends Transform {
  count = 0;
  #quoted = false;

  constructor(head: string) {
    super();
    this.push(head);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback) {
    const ended = Buffer.allocUnsafe(chunk.length + Math.ceil(chunk.length / shortestLine) + 1);
    let length = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === quote) this.#quoted = !this.#quoted;
      else if (byte === lineFeed && !this.#quoted) {
        this.count += 1;
        ended[length] = carriageReturn;
        length += 1;
      }
      ended[length] = byte;
      length += 1;
    }
    done(null, ended.subarray(0, length));
  }
}
