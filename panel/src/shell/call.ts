import { unattendedHeader } from 'contract/auth.ts';
import {
  type Answer,
  anyCallRefusals,
  type Endpoint,
  type Given,
  Problem,
  type RefusalCode,
} from 'contract/core/endpoint.ts';
import { z } from 'zod';
import { isAttended } from './attendance.ts';
import { endSession, isTokenChanging, readToken, untilTokenChanged } from './session-store.ts';
import { requestStepUp } from './step-up.ts';

type AnyCallRefusals = typeof anyCallRefusals;
type AnyCallCode = { [Status in keyof AnyCallRefusals]: keyof AnyCallRefusals[Status] }[keyof AnyCallRefusals];

/** A refusal that the endpoint declares, one that any call can return, or no response at all. */
export type FailureCode<E extends Endpoint = Endpoint> = RefusalCode<E> | AnyCallCode | 'Unreachable';

type Reason<E extends Endpoint> = { code: FailureCode<E>; message: string; reference?: string };

const unreachable: Reason<Endpoint> = {
  code: 'Unreachable',
  message: 'The server cannot be reached. Check your connection and try again.',
};
const notUnderstood: Reason<Endpoint> = {
  code: 'Unexpected',
  message: 'The server answered in a way this page does not understand. Reload the page and try again.',
};
const notAllowed: Reason<Endpoint> = { code: 'InvalidRequest', message: anyCallRefusals[400].InvalidRequest };

/** Why a call failed: `code` for programs, `message` for the screen. `status` is 0 if there was no response. */
export class Failure<E extends Endpoint = Endpoint> extends Error {
  override readonly name = 'Failure';
  readonly status: number;
  readonly code: FailureCode<E>;
  /** Identifies the refusal in the server's log. */
  readonly reference: string | undefined;

  constructor(status: number, { code, message, reference }: Reason<E>, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.reference = reference;
  }
}

/** Set in the served page at deployment, so that one build works behind any host. */
const apiOrigin = document.querySelector<HTMLMetaElement>('meta[name="api-origin"]')?.content.replace(/\/$/, '') ?? '';

/** Calls an endpoint. Throws only a Failure, so that the error type of a query is correct, or rethrows an abort. */
export async function call<const E extends Endpoint>(
  endpoint: E,
  given: Given<E>,
  signal?: AbortSignal,
): Promise<Answer<E>> {
  const first = await send(endpoint, given, signal);
  const response = (await canRetryAfterStepUp(endpoint, first)) ? await send(endpoint, given, signal) : first;
  if (!response.ok) throw new Failure<E>(response.status, await reasonOf(endpoint, response));
  try {
    return (await read(endpoint.answer, response)) as Answer<E>;
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new Failure<E>(response.status, notUnderstood, { cause });
  }
}

/** Whether the call was refused for want of a recent proof, and the administrator has now proved who they are. */
async function canRetryAfterStepUp({ stepUp }: Endpoint, response: Response) {
  if (!stepUp || response.status !== 403) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const problem = Problem.safeParse(body).data;
  return problem?.code === 'StepUpRequired' && requestStepUp();
}

type Part = Record<string, string | undefined> | undefined;

/** Encodes the parts of a request in wire format. */
export function wire<const E extends Endpoint>(endpoint: E, given: Given<E>) {
  const parts = given as Partial<Record<'params' | 'querystring' | 'body', unknown>>;
  const encoded = (part: 'params' | 'querystring' | 'body') =>
    (endpoint[part] && z.encode(endpoint[part], parts[part] as never)) as Part;
  return { params: encoded('params'), querystring: encoded('querystring'), body: encoded('body') };
}

function onWire<const E extends Endpoint>(endpoint: E, given: Given<E>) {
  try {
    return wire(endpoint, given);
  } catch (cause) {
    throw new Failure<E>(400, notAllowed, { cause });
  }
}

/** Returns the URL of a call. Exported for requests that the browser makes by itself. */
export function addressOf<const E extends Endpoint>(endpoint: E, given: Given<E>) {
  const { params, querystring } = onWire(endpoint, given);
  const path = endpoint.url.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''));
  return `${apiOrigin}${path}${search(querystring)}`;
}

const keys = new WeakMap<object, string>();

/** Returns the idempotency key of a request. A retry sends the same object and so the same key: it has one effect. */
function keyOf(given: object) {
  const key = keys.get(given) ?? crypto.randomUUID();
  keys.set(given, key);
  return key;
}

/** The panel's only fetch. */
async function send<const E extends Endpoint>(endpoint: E, given: Given<E>, signal?: AbortSignal): Promise<Response> {
  const address = addressOf(endpoint, given);
  const { body } = onWire(endpoint, given);
  const file = 'file' in given ? (given.file as Blob) : undefined;
  const token = readToken();
  try {
    const response = await fetch(address, {
      method: endpoint.method,
      credentials: 'include',
      headers: {
        accept: acceptedBy(endpoint),
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...(file && { 'content-type': file.type }),
        ...(endpoint.movesMoney && { 'idempotency-key': keyOf(given) }),
        ...(!isAttended() && { [unattendedHeader]: 'true' }),
      },
      body: body ? JSON.stringify(body) : (file ?? null),
      signal: signal ?? null,
    });
    if (response.status === 401) {
      const ended = endRefusedSession(response.clone(), token);
      if (!isTokenChanging()) await ended;
    }
    return response;
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new Failure<E>(0, unreachable, { cause });
  }
}

function acceptedBy({ answer }: Endpoint) {
  if ('_zod' in answer) return 'application/json';
  return 'file' in answer ? answer.file.join(', ') : 'text/event-stream';
}

/** Ends the session if its token was refused. A late response to an old token must not end a newer session. */
async function endRefusedSession(response: Response, sentToken: string | null) {
  const problem = Problem.safeParse(await response.json().catch(() => undefined));
  await untilTokenChanged();
  if (problem.data?.code === 'SignInRequired' && readToken() === sentToken) endSession('refused');
}

function search(query: Part) {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
}

async function reasonOf<E extends Endpoint>(endpoint: E, response: Response): Promise<Reason<E>> {
  const problem = Problem.safeParse(await response.json().catch(() => undefined)).data;
  const fromGateway = !problem && response.status >= 502 && response.status <= 504;
  if (fromGateway) return unreachable;
  if (!problem) return { code: 'Unexpected', message: anyCallRefusals[500].Unexpected };
  const { code, error: message, reference } = problem;
  return {
    code: (isDeclared(endpoint, response.status, code) ? code : 'Unexpected') as FailureCode<E>,
    message,
    reference,
  };
}

function isDeclared(endpoint: Endpoint, status: number, code: string) {
  const ofAnyCall: Endpoint['refusals'] = anyCallRefusals;
  return [endpoint.refusals, ofAnyCall].some((refusals) => Object.hasOwn(refusals[status] ?? {}, code));
}

async function read(answer: Endpoint['answer'], response: Response): Promise<unknown> {
  if ('_zod' in answer) return z.decode(answer, await response.json());
  if ('file' in answer) return response.blob();
  if (!response.body) throw new Error('A stream was expected');
  const { EventSourceParserStream } = await import('eventsource-parser/stream');
  const messages = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  return decoded(answer.content['text/event-stream'].schema, messages);
}

async function* decoded(schema: z.core.$ZodType, messages: AsyncIterable<{ data: string }>) {
  for await (const { data } of messages) yield z.decode(schema, JSON.parse(data));
}
