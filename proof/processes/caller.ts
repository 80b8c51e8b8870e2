import { testPassword } from '../../server/src/core/testing/server.ts';

export type Answer = { status: number; json: Record<string, unknown> };
type Sent = { token?: string; body?: unknown; key?: string };
export type Caller = ReturnType<typeof callerAt>;

const longestCallMs = 30_000;

/** Returns an HTTP client of one server, which sends these headers with every call. */
export function callerAt(address: string, headers: Record<string, string> = {}) {
  async function call(method: 'GET' | 'POST' | 'PATCH', path: string, { token, body, key }: Sent = {}) {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        ...headers,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(longestCallMs),
    });
    const text = await response.text();
    const json: unknown = text.startsWith('{') ? JSON.parse(text) : {};
    return { status: response.status, json } as Answer;
  }

  async function signIn(username: string, password = testPassword) {
    const { json } = await call('POST', '/api/admin/login', { body: { username, password } });
    if (typeof json['token'] !== 'string') throw new Error(`${username} could not sign in: ${JSON.stringify(json)}`);
    return json['token'];
  }

  return { call, signIn };
}
