import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { replaced } from './documents.ts';
import type { Installation } from './installation.ts';
import { startLine, streamWithinMs } from './steps.ts';
import type { Visitor } from './visitor.ts';

const changes = [
  { file: 'server/src/core/http/api.ts', from: "reply.raw.write(':\\n\\n');", to: 'reply.raw.flushHeaders();' },
  // A server that has just started immediately announces that everything may have changed, which sends the headers too.
  { file: 'server/src/core/events/hub.ts', from: '  memory.remember(everything);\n', to: '' },
];

/** The mutant sends headers without the opening comment: nginx holds them back, and the proof must notice. */
export async function isMutantCaught(installation: Installation, visitor: Visitor) {
  const originals = changes.map(({ file, from, to }) => {
    const place = path.join(installation.folder, file);
    const text = readFileSync(place, 'utf8');
    writeFileSync(place, replaced(text, { [from]: to }));
    return { place, text };
  });
  const program = installation.run(startLine());
  try {
    await installation.isUp(program);
    const stream = await visitor.openStream(streamWithinMs);
    stream.close();
    return stream.status === undefined;
  } finally {
    await program.stop();
    for (const { place, text } of originals) writeFileSync(place, text);
  }
}
