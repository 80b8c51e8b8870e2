import {
  type Answer,
  anyCallRefusals,
  type Endpoint,
  type FileBytes,
  type Given,
  type Problem,
} from 'contract/core/endpoint.ts';
import { streamEvents } from 'contract/events.ts';
import { z } from 'zod';
import type { FailureCode } from '#panel/shell/call.ts';
import { createFakeStreams } from './fake-stream.ts';
import { complain } from './watch.ts';

type Code<E extends Endpoint> = Exclude<FailureCode<E>, 'Unreachable'>;
type Respond = (given: never) => unknown;
type Failing = 'cut off' | { refusal: string };
type Route = { endpoint: Endpoint; respond?: Respond };
type Call = { endpoint: Endpoint; given: unknown };

const keyOf = ({ method, url }: Endpoint) => `${method} ${url}`;

const createState = () => ({
  routes: new Map<string, Route>(),
  /** How an endpoint currently fails, instead of sending its response. */
  failures: new Map<string, Failing>(),
  gates: new Map<string, Promise<void>>(),
  calls: [] as Call[],
  streams: createFakeStreams(),
});

let state = createState();

/** Removes every response and recorded call, so that a test starts with an empty server. */
export function resetServer() {
  state = createState();
}

/** Sets the response of an endpoint. A response that violates the contract fails the test. */
export function answer<const E extends Endpoint>(endpoint: E, respond: Answer<E> | ((given: Given<E>) => Answer<E>)) {
  const handler = typeof respond === 'function' ? (respond as Respond) : () => respond;
  state.routes.set(keyOf(endpoint), { endpoint, respond: handler });
  restore(endpoint);
}

/** Refuses calls from now on, with a code that the endpoint declares or that any call can return. */
export function refuse<const E extends Endpoint>(endpoint: E, code: Code<E>) {
  fail(endpoint, { refusal: code });
}

/** Fails calls from now on with a server error. */
export function fault(endpoint: Endpoint) {
  fail(endpoint, { refusal: 'Unexpected' });
}

/** Fails calls from now on with a network error. */
export function cutOff(endpoint: Endpoint) {
  fail(endpoint, 'cut off');
}

function fail(endpoint: Endpoint, failing: Failing) {
  const key = keyOf(endpoint);
  state.routes.set(key, state.routes.get(key) ?? { endpoint });
  state.failures.set(key, failing);
}

/** Ends a failure: the endpoint responds as before. */
export function restore(endpoint: Endpoint) {
  state.failures.delete(keyOf(endpoint));
}

/** Delays the responses of an endpoint until the returned function is called. */
export function hold(endpoint: Endpoint) {
  const { promise, resolve } = Promise.withResolvers<void>();
  state.gates.set(keyOf(endpoint), promise);
  return resolve;
}

/** Announces a change, as the server does after a commit. */
export function emit(feature: string, id: string | null = null) {
  state.streams.emit({ feature, id });
}

/** Returns the requests sent to an endpoint in this test, oldest first. */
export function callsTo<const E extends Endpoint>(endpoint: E): Given<E>[] {
  const sent = state.calls.filter((call) => keyOf(call.endpoint) === keyOf(endpoint));
  return sent.map(({ given }) => given as Given<E>);
}

const realFetch = window.fetch.bind(window);
const realSetTimeout = window.setTimeout.bind(window);

/** Replaces `fetch` for our API. Other requests, such as for modules, use the network as usual. */
export function installFakeServer() {
  window.fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, window.location.href);
    return url.pathname.startsWith('/api/') ? receive(url, init ?? {}) : realFetch(input, init);
  };
}

function nextTask() {
  return new Promise<void>((resolve) => {
    realSetTimeout(resolve, 0);
  });
}

/** The type of error that `fetch` throws without a network. */
class CutOff extends TypeError {}

async function receive(url: URL, init: RequestInit) {
  // Read before the first await: a late call belongs to the test that sent it, not to the next one.
  const server = state;
  const method = init.method ?? 'GET';
  // A real response never arrives in the same task.
  await nextTask();
  const route = findRoute([...server.routes.values()], method, url.pathname);
  if (!route) return unexpected(`The test does not answer ${method} ${url.pathname}${url.search}`);
  const key = keyOf(route.endpoint);
  try {
    const given = readRequest(route.endpoint, url, init);
    server.calls.push({ endpoint: route.endpoint, given });
    await untilOpen(server.gates.get(key), init.signal);
    const failing = server.failures.get(key);
    if (failing === 'cut off') throw new CutOff('Failed to fetch');
    if (failing) return problem(route.endpoint, failing.refusal);
    if (key === keyOf(streamEvents)) return server.streams.respond(init.signal);
    const respond = server.routes.get(key)?.respond;
    if (!respond) throw new Error('the test does not answer it');
    return write(route.endpoint.answer, respond(given as never));
  } catch (cause) {
    if (init.signal?.aborted || cause instanceof CutOff) throw cause;
    return unexpected(`${key} does not keep the contract: ${String(cause)}`);
  }
}

function findRoute(routes: Route[], method: string, path: string) {
  const matching = routes.filter(({ endpoint }) => endpoint.method === method && patternOf(endpoint).test(path));
  // A URL without parameters takes precedence over one with parameters.
  return matching.find(({ endpoint }) => endpoint.url === path) ?? matching[0];
}

const patternOf = ({ url }: Endpoint) => new RegExp(`^${url.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);

type Texts = Record<string, string>;

function readRequest(endpoint: Endpoint, url: URL, { body }: RequestInit) {
  const groups: Texts = patternOf(endpoint).exec(url.pathname)?.groups ?? {};
  const params = Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)] as const);
  const query: Texts = Object.fromEntries(url.searchParams);
  return {
    ...(endpoint.params && { params: z.decode(endpoint.params, Object.fromEntries(params)) }),
    ...(endpoint.querystring && { querystring: z.decode(endpoint.querystring, query) }),
    ...(endpoint.body && { body: z.decode(endpoint.body, JSON.parse(body as string) as Record<string, unknown>) }),
    ...(endpoint.upload && { file: body }),
  };
}

function untilOpen(gate: Promise<void> | undefined, signal: AbortSignal | null | undefined) {
  if (!gate) return undefined;
  return new Promise<void>((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    void gate.then(resolve);
  });
}

function write(schema: Endpoint['answer'], value: unknown) {
  if ('_zod' in schema) return Response.json(z.encode(schema, value));
  if (!('file' in schema)) throw new Error('Only the live updates are a stream');
  const { type } = value as FileBytes;
  if (!schema.file.some((allowed) => allowed === type)) throw new Error(`${type} is not among ${schema.file.join()}`);
  return new Response(value as Blob, { headers: { 'content-type': type } });
}

/** Responds with a problem (RFC 9457) in the format of the server. */
function problem(endpoint: Endpoint, code: string) {
  const declared = [endpoint.refusals, anyCallRefusals as Endpoint['refusals']].flatMap((all) => Object.entries(all));
  const [status, codes] = declared.find(([, spelled]) => Object.hasOwn(spelled, code)) ?? [];
  const message = codes?.[code];
  if (status === undefined || message === undefined) throw new Error(`it does not refuse with ${code}`);
  const body: Problem = {
    type: `urn:bursar:problem:${code}`,
    title: message,
    status: Number(status),
    code,
    error: message,
    reference: '00000000-0000-4000-8000-000000000000',
  };
  return Response.json(body, { status: body.status, headers: { 'content-type': 'application/problem+json' } });
}

function unexpected(complaint: string) {
  complain(complaint);
  return new Response(null, { status: 501 });
}
