import type { Plugin } from 'vite';

const file = 'scalar.js';

/**
 * Returns the viewer of the API reference as one script. The package for Fastify is the only one that contains it
 * without a design system, an editor and hundreds of other packages; it has no export for the script itself. Imported
 * on first use, because it is large and tests of the panel do not need it.
 */
async function readViewer() {
  const [{ default: Fastify }, { default: apiReference }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference'),
  ]);
  const app = Fastify();
  await app.register(apiReference, { routePrefix: '/', configuration: { url: '/' } });
  const { statusCode, body } = await app.inject('/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error('The package of the API reference has no script.');
  return body;
}

/** Adds the viewer to the build as a file that only public/reference.html loads, and serves both in development. */
export const apiReferenceViewer: Plugin = {
  name: 'api-reference',
  async generateBundle() {
    this.emitFile({ type: 'asset', fileName: file, source: await readViewer() });
  },
  configureServer({ middlewares }) {
    middlewares.use((request, response, next) => {
      const [address] = (request.url ?? '').split('?');
      if (address === '/reference') request.url = '/reference.html';
      if (address !== `/${file}`) {
        next();
        return;
      }
      response.setHeader('content-type', 'text/javascript');
      readViewer().then((viewer) => response.end(viewer), next);
    });
  },
};
