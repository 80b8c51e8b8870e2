import { randomUUID } from 'node:crypto';
import { Scope } from '../../contract/src/core/scopes.ts';
import { addApiKey } from '../../server/src/core/testing/api-key.ts';
import { schemaOf } from '../../server/src/features/integrations/reference/schema.ts';
import { callerAt } from '../processes/caller.ts';
import type { Chance } from '../processes/chance.ts';
import { endpoints, type NamedEndpoint } from '../processes/endpoints.ts';
import type { Fixture } from '../processes/fixture.ts';
import { openMemory } from '../processes/known.ts';
import { type Schema, validValue } from '../processes/values.ts';
import type { Canaries } from './canaries.ts';
import type { Planted } from './plant.ts';

/** The answers that hand a secret to its owner, once. */
const handedOut: Readonly<Record<string, string>> = {
  login: 'token',
  changePassword: 'token',
  finishSso: 'token',
  finishSsoWithCode: 'token',
  passkeyLogin: 'token',
  stepUp: 'token',
  startApp: 'secret',
  completeRecovery: 'password',
  openKey: 'privateKey',
  createApiKey: 'secret',
  rotateApiKey: 'secret',
  createWebhook: 'secret',
  rotateWebhookSecret: 'secret',
  linkExport: 'key',
};

type World = { fixture: Fixture; address: string; canaries: Canaries; chance: Chance; rounds: number };
type Sent = { status: number; json: unknown; text: string };

/** Calls every endpoint with valid requests, again and again, and returns the answers without what they hand out. */
export async function callAll({ fixture, address, canaries, chance, rounds }: World, { superAdmin }: Planted) {
  const { secret: key } = await addApiKey(fixture.owner, { scopes: Scope.options, requestsPerMinute: 100_000 });
  canaries.plant('secret of an API key', key);
  const memory = openMemory(chance);
  const answers: string[] = [];
  const succeeded = new Set<string>();
  const pasted = canaries.plant('a secret in a field that no call has', randomUUID());
  let { token } = superAdmin;
  for (let round = 0; round < rounds; round += 1) {
    // What is read first is known to what is written.
    for (const endpoint of endpoints.toSorted((one, other) => one.method.localeCompare(other.method))) {
      const { access, feature, name } = endpoint;
      const maker = { chance, known: memory.knownOf(feature) };
      const isForKeys = access === 'key' || access.includes(':');
      const request = requestOf(endpoint, maker);
      const sent = await send(address, request, isForKeys ? key : token);
      if (endpoint.body) answers.push((await send(address, misplaced(request, pasted), isForKeys ? key : token)).text);
      const field = handedOut[name];
      const issued = field === undefined ? undefined : (sent.json as Record<string, unknown>)[field];
      if (typeof issued === 'string') canaries.plant(`${field} of ${name}`, issued);
      answers.push(typeof issued === 'string' ? sent.text.replaceAll(issued, '') : sent.text);
      if (sent.status === 200) succeeded.add(name);
      if (sent.status === 200) memory.remember(feature, sent.json);
      if (name === 'logout' || sent.status === 401) token = await signInAgain(address, superAdmin, canaries);
    }
  }
  return { answers, token, succeeded: succeeded.size, calls: answers.length };
}

async function signInAgain(address: string, { username, password }: Planted['superAdmin'], canaries: Canaries) {
  return canaries.plant('token of a session', await callerAt(address).signIn(username, password));
}

type Request = { method: string; path: string; body: string | undefined };

function requestOf(endpoint: NamedEndpoint, maker: Parameters<typeof validValue>[2]): Request {
  const valueOf = (part: 'params' | 'querystring' | 'body') => {
    const schema = endpoint[part];
    return schema ? (validValue(schemaOf(schema) as Schema, '', maker) as Record<string, unknown>) : {};
  };
  const params = valueOf('params');
  const path = endpoint.url.replaceAll(/:(\w+)/g, (_found, name: string) => encodeURIComponent(String(params[name])));
  const query = new URLSearchParams(
    Object.entries(valueOf('querystring')).map(([name, value]) => [name, String(value)]),
  );
  return {
    method: endpoint.method,
    path: query.size > 0 ? `${path}?${query}` : path,
    body: endpoint.body ? JSON.stringify(valueOf('body')) : undefined,
  };
}

/** The same request with a secret in a field that it does not have, as after pasting into the wrong place. */
const misplaced = (request: Request, pasted: string): Request => ({
  ...request,
  body: JSON.stringify({ ...(JSON.parse(request.body ?? '{}') as object), pasted }),
});

async function send(address: string, { method, path, body }: Request, token: string): Promise<Sent> {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  });
  const head = `${method} ${path.split('?')[0]} ${response.status} ${JSON.stringify([...response.headers])}`;
  if (response.headers.get('content-type')?.includes('event-stream')) {
    await response.body?.cancel();
    return { status: response.status, json: {}, text: head };
  }
  const text = await response.text();
  const json: unknown = /^[[{]/.test(text) ? JSON.parse(text) : {};
  return { status: response.status, json, text: `${head} ${text}` };
}
