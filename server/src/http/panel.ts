import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pagePolicy } from './headers.ts';

export const builtPanel = new URL('../../../panel/dist/', import.meta.url);

type PanelSettings = { apiOrigin: string; folder?: URL | undefined };

/**
 * Serves the built panel. The page is filled in for each visit: a fresh nonce for its styles, and where
 * the API is, which a deployment decides and a build cannot know.
 */
export async function servePanel(app: FastifyInstance, { apiOrigin, folder = builtPanel }: PanelSettings) {
  const page = await readFile(new URL('index.html', folder), 'utf8').catch(() => undefined);
  if (page === undefined) return undefined;

  const hashedFiles = fileURLToPath(new URL('assets/', folder));
  await app.register(fastifyStatic, {
    root: fileURLToPath(folder),
    index: false,
    wildcard: false,
    // The build writes a .br and a .gz file beside each text file (panel/precompress.ts).
    preCompressed: true,
    globIgnore: ['**/*.br', '**/*.gz'],
    setHeaders: (reply, path) => {
      if (path.startsWith(hashedFiles)) reply.header('cache-control', 'public, max-age=31536000, immutable');
    },
  });

  const sendPage = (reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64');
    const filled = page
      .replace('name="style-nonce" content=""', `name="style-nonce" content="${nonce}"`)
      .replace('name="api-origin" content=""', `name="api-origin" content="${apiOrigin}"`);
    return reply
      .header('content-security-policy', pagePolicy(nonce, apiOrigin))
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(filled);
  };
  for (const address of ['/', '/login', '/new-password', '/dashboard', '/dashboard/*']) {
    app.get(address, (_request, reply) => sendPage(reply));
  }
  return sendPage;
}

/** A person who mistyped an address is shown the panel's own page for that; a program is told in its terms. */
export function isPersonVisiting({ method, url, headers }: FastifyRequest) {
  return method === 'GET' && !url.startsWith('/api') && (headers.accept ?? '').includes('text/html');
}
