import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { referencePolicy } from './headers.ts';

type PageSettings = { apiOrigin: string; folder: URL };

/**
 * Serves the API reference of the built panel (panel/public/reference.html). It is not a screen of the panel: it needs
 * no session, and its viewer is a foreign script with a policy of its own. Each visit gets a new nonce for the style
 * sheets that the viewer adds.
 */
export async function serveReference(app: FastifyInstance, { apiOrigin, folder }: PageSettings) {
  const page = await readFile(new URL('reference.html', folder), 'utf8').catch(() => undefined);
  if (page === undefined) return;
  app.get('/reference', (_request, reply) => {
    const nonce = randomBytes(16).toString('base64');
    const filled = page
      .replace('property="csp-nonce" content=""', `property="csp-nonce" content="${nonce}"`)
      .replace('name="api-origin" content=""', `name="api-origin" content="${apiOrigin}"`);
    return reply
      .header('content-security-policy', referencePolicy(nonce, apiOrigin))
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(filled);
  });
}
