import { randomUUID } from 'node:crypto';
import { endpoints, type NamedEndpoint } from '../processes/endpoints.ts';
import { admitted, type Identity } from './identities.ts';

/** The codes with which a call is refused because of its caller. They are answered before the request is read. */
const ofCaller = [
  'SignInRequired',
  'KeyRequired',
  'PasswordChangeRequired',
  'PermissionDenied',
  'ScopeMissing',
  'MfaRequired',
  'StepUpRequired',
];

const atOnce = 8;

export type Matrix = { cells: number; undeclared: string[]; differing: string[] };

/** Calls every endpoint as every caller, or as some, and compares what becomes of the call with the table. */
export async function callAll(
  address: string,
  identities: readonly Identity[],
  callers?: readonly string[],
): Promise<Matrix> {
  const matrix: Matrix = { cells: 0, undeclared: [], differing: [] };
  const endsSession = ({ access, method }: NamedEndpoint) => access === 'session' && method !== 'GET';
  for (const identity of identities.filter(({ name }) => callers?.includes(name) ?? true)) {
    const callOne = async (endpoint: NamedEndpoint) => {
      const cell = `${endpoint.method} ${endpoint.url} as ${identity.name}`;
      const expected = identity.expected(endpoint);
      const found = await call(address, endpoint, identity.token(endpoint));
      matrix.cells += 1;
      if (expected === undefined) matrix.undeclared.push(`${cell}: ${endpoint.access} is not in the table`);
      else if (found !== expected) matrix.differing.push(`${cell}: ${found} instead of ${expected}`);
    };
    const left = endpoints.filter((endpoint) => !endsSession(endpoint));
    while (left.length > 0) await Promise.all(left.splice(0, atOnce).map(callOne));
    for (const endpoint of endpoints.filter(endsSession)) {
      await callOne(endpoint);
      await identity.renew?.();
    }
  }
  return matrix;
}

/** Returns the code with which the caller was refused, `admitted`, or the status if it is a server error that is not declared. */
async function call(address: string, { method, url, body, refusals }: NamedEndpoint, token: string | undefined) {
  const path = url.replaceAll(/:\w+/g, () => randomUUID());
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: '{}' }),
  });
  if (response.headers.get('content-type')?.includes('event-stream')) {
    await response.body?.cancel();
    return admitted;
  }
  const text = await response.text();
  if (response.status >= 500 && !(response.status in refusals)) return `${response.status} ${text}`;
  const { code } = text.startsWith('{') ? (JSON.parse(text) as { code?: string }) : {};
  return code !== undefined && ofCaller.includes(code) ? code : admitted;
}
