import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { replaced } from './documents.ts';
import type { Site } from './site.ts';
import { startLine, streamWithinMs } from './steps.ts';
import type { Visitor } from './visitor.ts';

/** A server that sends headers and no opening comment: nginx holds them back, and the proof must notice. */
export async function isMutantCaught(site: Site, visitor: Visitor) {
  const file = path.join(site.folder, 'server/src/core/http/api.ts');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, replaced(text, { "reply.raw.write(':\\n\\n');": 'reply.raw.flushHeaders();' }));
  const program = site.run(startLine());
  try {
    await site.isUp(program);
    const stream = await visitor.openStream(streamWithinMs);
    stream.close();
    return stream.status === undefined;
  } finally {
    await program.stop();
    writeFileSync(file, text);
  }
}
