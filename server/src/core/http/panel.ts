import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sessionCookie } from '#server/core/auth/cookies.ts';
import { pagePolicy } from './headers.ts';
import { serveReference } from './reference-page.ts';

export const builtPanel = new URL('../../../../panel/dist/', import.meta.url);

type PanelSettings = { apiOrigin: string; hasSso: boolean; folder?: URL | undefined };

/** The scripts and styles of each screen, written by the build (panel/preloads.ts). */
const Preloads = z.array(z.object({ address: z.string(), scripts: z.array(z.string()), styles: z.array(z.string()) }));

/** Reads the preloads as tags for the page's head, each with the URL pattern of its screen. */
async function readPreloads(folder: URL) {
  const built = await readFile(new URL('.vite/preloads.json', folder), 'utf8').catch(() => '[]');
  return Preloads.parse(JSON.parse(built)).map(({ address, scripts, styles }) => ({
    pattern: new RegExp(`^${address.replaceAll(/\$\w+/g, '[^/]+')}/?$`),
    tags: [
      ...scripts.map((href) => `<link rel="modulepreload" href="${href}">`),
      ...styles.map((href) => `<link rel="preload" as="style" href="${href}">`),
    ].join(''),
  }));
}

/**
 * Serves the built panel. Each visit gets a page with a new nonce for its styles and with the origin of the API, which
 * is known to the deployment and not to the build. Returns undefined if the panel is not built.
 */
export async function servePanel(app: FastifyInstance, { apiOrigin, hasSso, folder = builtPanel }: PanelSettings) {
  const page = await readFile(new URL('index.html', folder), 'utf8').catch(() => undefined);
  if (page === undefined) return undefined;

  const preloads = await readPreloads(folder);
  /** A visitor without a session sees Login, which needs no preloads. */
  const preloadsFor = ({ url, cookies }: FastifyRequest) => {
    if (!cookies[sessionCookie]) return '';
    const [address = ''] = url.split('?');
    return preloads.find(({ pattern }) => pattern.test(address))?.tags ?? '';
  };

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

  await serveReference(app, { apiOrigin, folder });

  const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64');
    const filled = page
      .replace('name="style-nonce" content=""', `name="style-nonce" content="${nonce}"`)
      .replace('name="api-origin" content=""', `name="api-origin" content="${apiOrigin}"`)
      .replace('name="single-sign-on" content=""', `name="single-sign-on" content="${hasSso ? 'yes' : ''}"`)
      .replace('</head>', `${preloadsFor(request)}</head>`);
    return reply
      .header('content-security-policy', pagePolicy(nonce, apiOrigin))
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(filled);
  };
  for (const address of ['/', '/login', '/new-password', '/dashboard', '/dashboard/*']) {
    app.get(address, (request, reply) => sendPage(request, reply));
  }
  return sendPage;
}

/** Whether a browser opened an unknown URL. It gets the panel's own page, and a program gets a problem document. */
export function isBrowserVisit({ method, url, headers }: FastifyRequest) {
  return method === 'GET' && !url.startsWith('/api') && (headers.accept ?? '').includes('text/html');
}
