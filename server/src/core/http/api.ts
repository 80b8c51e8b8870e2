import type { Readable } from 'node:stream';
import { type Answer, type Endpoint, type Given, Problem } from 'contract/core/endpoint.ts';
import type { Page } from 'contract/core/paging.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Scope } from 'contract/core/scopes.ts';
import type { ApiKey } from '#server/core/auth/api-keys.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { answersPage, pageHeaders } from './page-headers.ts';
import { Refusal } from '#server/core/refusal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
  interface FastifyRequest {
    actor: Actor | null;
    apiKey: ApiKey | null;
  }
}

type Caller<E extends Endpoint> = E['access'] extends 'anyone'
  ? object
  : E['access'] extends Scope | 'key'
    ? { apiKey: ApiKey }
    : { actor: Actor };
type Call<E extends Endpoint> = Given<E> & Caller<E> & { request: FastifyRequest; reply: FastifyReply };

/** Registers handlers for the contract's endpoints. There is no other way to add a route. */
export type Api = {
  serve<const E extends Endpoint>(endpoint: E, handler: (call: Call<E>) => Promise<Answer<E>>): void;
  stream<const E extends Endpoint>(endpoint: E, handler: (call: Call<E>, signal: AbortSignal) => Answer<E>): void;
  send<const E extends Endpoint>(endpoint: E, handler: (call: Call<E>) => Promise<SentFile>): void;
};

/** A file to send. With a name, the browser saves it instead of showing it. */
export type SentFile = { type: string; body: Buffer | Readable; name?: string; bytes?: number };

export function apiOf(app: FastifyInstance): Api {
  return {
    serve(endpoint, handler) {
      const isPage = answersPage(endpoint);
      app.route({
        ...optionsOf(endpoint),
        handler: async (request, reply) => {
          const answer = await handler(callOf(endpoint, request, reply));
          if (isPage) reply.headers(pageHeaders(request.url, answer as Page));
          return answer;
        },
      });
    },

    stream(endpoint, handler) {
      const event = streamSchema(endpoint);
      app.route({
        ...optionsOf(endpoint),
        sse: 'only',
        // The plugin would refuse as well, but not with a problem document.
        preHandler: async ({ headers }) => {
          if (!/text\/event-stream|text\/\*|\*\/\*/.test(headers.accept ?? '*/*')) throw new Refusal('NotAcceptable');
        },
        handler: async (request, reply) => {
          const disconnected = new AbortController();
          reply.sse.onClose(() => disconnected.abort());
          const messages = handler(callOf(endpoint, request, reply), disconnected.signal) as AsyncIterable<unknown>;
          reply.sse.sendHeaders();
          // Otherwise the headers would wait for the first event, and the panel would not know that it is connected. A
          // proxy may hold them back until there is a body (nginx does with HTTP/2), so an empty comment follows them.
          reply.raw.write(':\n\n');
          for await (const message of messages) {
            // The panel can disconnect while a message is being prepared, and sending to it would throw.
            if (!reply.sse.isConnected) return;
            await reply.sse.send({ data: z.encode(event, message) });
          }
        },
      });
    },

    send(endpoint, handler) {
      app.route({
        ...optionsOf(endpoint),
        handler: async (request, reply) => {
          const { type, body, name, bytes } = await handler(callOf(endpoint, request, reply));
          // The browser must never run the file as a page of this origin.
          reply.type(type).header('content-security-policy', "default-src 'none'; sandbox");
          if (name !== undefined) reply.header('content-disposition', `attachment; filename="${name}"`);
          if (bytes !== undefined) reply.header('content-length', String(bytes));
          return reply.send(body);
        },
      });
    },
  };
}

function optionsOf(endpoint: Endpoint) {
  const { method, url, summary, params, querystring, body, bodyLimits, upload, answer, refusals } = endpoint;
  const bodyLimit = upload?.bytes ?? bodyLimits?.bytes;
  const problems = Object.fromEntries(Object.keys(refusals).map((status) => [status, Problem]));
  return {
    method,
    url,
    config: { endpoint },
    ...(bodyLimit !== undefined && { bodyLimit }),
    schema: {
      summary,
      ...(params && { params }),
      ...(querystring && { querystring }),
      ...(body && { body }),
      response: { ...(!('file' in answer) && { 200: answer }), ...problems },
    },
  };
}

/** Casts Fastify's request to the types of the contract, which the validators have checked at this point. */
function callOf<E extends Endpoint>({ access, upload }: E, request: FastifyRequest, reply: FastifyReply): Call<E> {
  const { params, query: querystring, body, actor, apiKey } = request;
  if (access !== 'anyone' && !actor && !apiKey) throw new Error('An authenticated call has no caller.');
  const sent = upload ? { file: fileOf(request) } : { body };
  return { params, querystring, ...sent, actor, apiKey, request, reply } as unknown as Call<E>;
}

function fileOf({ body, headers }: FastifyRequest) {
  if (!Buffer.isBuffer(body)) throw new Refusal('UnsupportedMediaType');
  return new Blob([Uint8Array.from(body)], { type: headers['content-type'] ?? '' });
}

function streamSchema({ answer, url }: Endpoint): z.core.$ZodType {
  if (!('content' in answer)) throw new Error(`${url} does not answer a stream.`);
  return answer.content['text/event-stream'].schema;
}
