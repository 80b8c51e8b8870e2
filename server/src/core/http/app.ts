import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import { fastifySSE } from '@fastify/sse';
import Fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import { openApiKeyUsage } from '#server/core/auth/api-key-usage.ts';
import { onceOf } from '#server/core/auth/idempotency.ts';
import type { Config } from '#server/config.ts';
import type { Database, Pool } from '#server/core/db/db.ts';
import { type Api, apiOf } from './api.ts';
import { admit } from './authenticate.ts';
import { acceptBodies } from './bodies.ts';
import { protect } from './headers.ts';
import { refuseUnstorableText, validatorCompiler } from './input.ts';
import type { Log } from '#server/core/log.ts';
import { isBrowserVisit, servePanel } from './panel.ts';
import { problemFor } from './problem.ts';
import { Refusal } from '#server/core/refusal.ts';

export type AppSettings = {
  config: Pick<Config, 'http' | 'session' | 'sso' | 'proof'>;
  database: Database;
  pool: Pool;
  log: Log;
  /** The folder of the built panel, if it is not the default. */
  panelFolder?: URL;
};

/** More requests than this waiting for a connection would time out anyway, so further ones are refused immediately. */
const longestQueue = 100;

/**
 * How long a client may take for its headers, and for a whole request. Node.js looks for overdue connections at an
 * interval, so it is part of both times: they end after 10 and 20 seconds at the latest.
 */
const arrival = { headersTimeout: 9_000, requestTimeout: 19_000, connectionsCheckingInterval: 1_000 };

export async function openApp(
  { config, database, pool, log, panelFolder }: AppSettings,
  addFeatures: (api: Api) => void,
) {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'reference' }),
    genReqId: () => crypto.randomUUID(),
    bodyLimit: 64 * 1024,
    http: arrival,
    // Fastify sets this one itself, to no limit if it is missing.
    requestTimeout: arrival.requestTimeout,
    trustProxy: config.http.trustedProxies.length > 0 ? config.http.trustedProxies : false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 300 },
    // URLs that the router refuses do not reach the handlers below.
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
  }) as unknown as FastifyInstance;
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  app.addHook('onResponse', async (request, reply) => logResponse(request, reply));

  await protect(app);
  await app.register(compress, { threshold: 1024, encodings: ['gzip', 'identity'] });
  await app.register(cookie);
  const sendPage = await servePanel(app, { ...config.http, hasSso: config.sso !== undefined, folder: panelFolder });
  app.setNotFoundHandler((request, reply) =>
    sendPage && isBrowserVisit(request)
      ? sendPage(request, reply.code(404))
      : answerError(new Refusal('NoSuchCall'), request, reply),
  );
  await app.register(async (calls) => {
    if (config.http.panelOrigins.length > 0) await calls.register(cors, crossOrigin(config));
    await calls.register(fastifySSE, { heartbeatInterval: 15_000 });
    acceptBodies(calls);
    guardCalls(calls, { config, database, pool, log });
    addFeatures(apiOf(calls));
  });
  return app;
}

const crossOrigin = ({ http }: AppSettings['config']) => ({
  origin: http.panelOrigins,
  methods: ['GET', 'POST', 'PATCH'],
  credentials: true,
  exposedHeaders: ['retry-after', 'link', 'x-total-count'],
});

function guardCalls(calls: FastifyInstance, { config, database, pool, log }: Omit<AppSettings, 'panelFolder'>) {
  const usage = openApiKeyUsage({ database, pool, log });
  calls.decorateRequest('actor', null);
  calls.decorateRequest('apiKey', null);
  calls.addHook('onClose', () => usage.stop());
  calls.addHook('onRoute', ({ config: route, method, url }) => {
    if (method !== 'OPTIONS' && !route?.endpoint)
      throw new Error(`${url} is served without an endpoint of the contract.`);
  });
  calls.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const overrun = pool.waitingCount >= longestQueue && !answersWhenBusy(request);
    if (overrun) throw new Refusal('Busy', { retryAfterSeconds: 1 });
    await admit(request, { database, config, usage });
  });
  calls.addHook('preValidation', async (request) => {
    refuseUnstorableText(request);
    const { actor, apiKey, headers, routeOptions, params, body } = request;
    const key = headers['idempotency-key'];
    const { endpoint } = routeOptions.config;
    const once = endpoint && typeof key === 'string' ? onceOf(endpoint, key, { params, body }) : undefined;
    if (actor && once) request.actor = { ...actor, once };
    if (apiKey && once) request.apiKey = { ...apiKey, once };
  });
  calls.addHook('onResponse', async ({ apiKey }, { statusCode }) => {
    if (apiKey) usage.count(apiKey.secretId, { failed: statusCode >= 400 });
  });
}

/** Health checks are answered when busy: a supervisor that restarted the process would overload the others. */
function answersWhenBusy({ routeOptions }: FastifyRequest) {
  return routeOptions.config.endpoint?.feature === 'health';
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { config } = request.routeOptions;
  const problem = problemFor(error, config.endpoint) ?? problemFor(new Refusal('Unexpected'));
  if (!problem) throw new Error('The internal error has no text.');
  const { retryAfterSeconds, ...details } = problem;
  if (details.status >= 500) request.log.error({ error }, 'failed');
  if (retryAfterSeconds) reply.header('retry-after', String(retryAfterSeconds));
  return reply
    .code(details.status)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .serializer((body: unknown) => JSON.stringify(body))
    .send({ ...details, reference: request.id });
}

function logResponse(request: FastifyRequest, reply: FastifyReply) {
  const { url: route } = request.routeOptions;
  request.log.info(
    {
      method: request.method,
      route: route ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      adminId: request.actor?.id,
      apiKeyId: request.apiKey?.id,
    },
    'answered',
  );
}
