import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Fonts are already compressed. The server fills in the HTML page for each visit, and compresses it itself. */
const textFiles = '**/*.{js,css,svg,json,txt,map}';

const compressors = {
  '.br': (content: Buffer) =>
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  '.gz': (content: Buffer) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
};

/** Writes a brotli and a gzip file beside each text file of a folder, if it is smaller than the file. */
export async function precompress(folder: string) {
  const names = globSync(textFiles, { cwd: folder });
  await Promise.all(names.map((name) => compressFile(path.join(folder, name))));
}

async function compressFile(file: string) {
  const content = await readFile(file);
  for (const [extension, compress] of Object.entries(compressors)) {
    const compressed = await compress(content);
    if (compressed.length < content.length) await writeFile(`${file}${extension}`, compressed);
  }
}
