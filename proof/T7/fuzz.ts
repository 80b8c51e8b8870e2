import { Scope } from '../../contract/src/core/scopes.ts';
import { addApiKey } from '../../server/src/core/testing/api-key.ts';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import { describeCalls } from '../../server/src/features/integrations/reference/document.ts';
import { callerAt } from '../processes/caller.ts';
import type { Chance } from '../processes/chance.ts';
import { endpoints, type NamedEndpoint } from '../processes/endpoints.ts';
import type { Fixture } from '../processes/fixture.ts';
import { type Memory, openMemory } from '../processes/known.ts';
import { logProgress } from '../processes/verdict.ts';
import { type Operation, type Request, requestOf } from './requests.ts';

type World = { fixture: Fixture; address: string; requests: number; chance: Chance };
type Document = { paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>> };
type Callers = Awaited<ReturnType<typeof openCallers>>;

const atOnce = 10;
const examplesKept = 20;
const rightCaller = 0.85;

/** Describes all endpoints as the product describes those of API keys. */
const document = describeCalls(Object.fromEntries(endpoints.map((one) => [one.name, one]))) as unknown as Document;
const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
);
const byName = new Map(endpoints.map((one) => [one.name, one]));

/** Sends random requests of all operations, and collects the answers that must not occur. */
export async function fuzz({ fixture, address, requests, chance }: World) {
  const callers = await openCallers(fixture, address);
  const memory = openMemory(chance);
  await readLists(address, { callers, memory });
  const tally = { sent: 0, serverErrors: 0, undeclared: 0, statuses: {} as Record<string, number> };
  const examples: string[] = [];
  const succeeded = new Set<string>();
  const lane = async () => {
    while (tally.sent < requests) {
      const operation = operations[tally.sent % operations.length] ?? chance.one(operations);
      tally.sent += 1;
      const endpoint = endpointOf(operation);
      const request = requestOf(operation, { chance, known: memory.knownOf(endpoint.feature) });
      const isOwn = chance.happens(rightCaller);
      const answer = await send(address, request, isOwn ? callers.own(endpoint) : callers.other(chance));
      tally.statuses[answer.status] = (tally.statuses[answer.status] ?? 0) + 1;
      if (answer.status === 200) {
        succeeded.add(operation.operationId);
        memory.remember(endpoint.feature, answer.json);
      }
      if (answer.status === 401 && isOwn) await callers.renew();
      const fault = faultOf(operation, answer);
      if (fault) tally[fault] += 1;
      if (fault && examples.length < examplesKept) examples.push(exampleOf(operation, request, answer));
      if (tally.sent % 20_000 === 0) logProgress(`${tally.sent} requests`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const never = operations.map(({ operationId }) => operationId).filter((name) => !succeeded.has(name));
  return { ...tally, operations: operations.length, neverSucceeded: never, examples };
}

function endpointOf({ operationId }: Operation): NamedEndpoint {
  const found = byName.get(operationId);
  if (!found) throw new Error(`There is no endpoint ${operationId}.`);
  return found;
}

type Answer = { status: number; json: Record<string, unknown>; text: string };

/** A success, and every refusal that the document lists under its status, is declared. */
function faultOf(operation: Operation, { status, json }: Answer) {
  const { responses } = operation;
  // Only a health check has a server error of its own, which is what it is for.
  if (status >= 500 && !(status in endpointOf(operation).refusals)) return 'serverErrors';
  const declared = responses[status];
  if (!declared) return 'undeclared';
  if (status === 200) return undefined;
  const codes = declared.content['application/problem+json']?.examples ?? {};
  return String(json['code']) in codes ? undefined : 'undeclared';
}

const exampleOf = ({ operationId }: Operation, { method, path, headers, body }: Request, { status, text }: Answer) =>
  `${operationId}: ${method} ${path.slice(0, 300)} ${JSON.stringify(headers)} ${String(body).slice(0, 600)} -> ${status} ${text.slice(0, 300)}`;

async function send(address: string, { path, ...request }: Request, token: string | undefined): Promise<Answer> {
  const headers = { ...request.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const response = await fetch(`${address}${path}`, { ...request, headers });
  if (response.headers.get('content-type')?.includes('event-stream')) {
    await response.body?.cancel();
    return { status: response.status, json: {}, text: '' };
  }
  const text = await response.text();
  return { status: response.status, json: jsonOf(text), text };
}

function jsonOf(text: string) {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

async function openCallers({ owner }: Fixture, address: string) {
  let added = 0;
  const signIn = async (permissionSet?: 'Support') => {
    added += 1;
    const username = `fuzz.${added}`;
    await addAdmin(owner, { username, ...(permissionSet ? { permissionSet } : { role: 'SuperAdmin' }) });
    // The random sign-ins fail, and would soon stop everyone of the same network.
    return callerAt(address, { 'x-forwarded-for': `10.${added >> 8}.${added % 256}.1` }).signIn(username);
  };
  let superAdmin = await signIn();
  const support = await signIn('Support');
  const { secret: key } = await addApiKey(owner, { scopes: Scope.options, requestsPerMinute: 10_000_000 });
  let renewing: Promise<void> | undefined;
  return {
    own: ({ access }: NamedEndpoint) => {
      if (access === 'anyone') return undefined;
      return access === 'key' || access.includes(':') ? key : superAdmin;
    },
    other: (chance: Chance) => chance.one([undefined, 'garbage', 'x'.repeat(4_000), support, key, superAdmin]),
    /** Signs in as a new administrator: a request may have ended the session, or renamed who had it. */
    renew: () => {
      renewing ??= (async () => {
        superAdmin = await signIn();
        renewing = undefined;
      })();
      return renewing;
    },
  };
}

/** Reads everything that needs no parameter, so that the first requests are about things that exist. */
async function readLists(address: string, { callers, memory }: { callers: Callers; memory: Memory }) {
  for (const operation of operations) {
    if (operation.method !== 'get' || operation.path.includes('{')) continue;
    const endpoint = endpointOf(operation);
    const request = { method: 'GET', path: operation.path, headers: {} };
    const { json } = await send(address, request, callers.own(endpoint));
    memory.remember(endpoint.feature, json);
  }
}
