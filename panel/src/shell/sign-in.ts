import { login } from 'contract/auth.ts';
import type { Given } from 'contract/endpoint.ts';
import { call, Failure } from './call.ts';
import { beginSession } from './session.ts';

/** Wrong credentials need no second line; what is nobody's mistake does. */
const needsNoCause = new Set<Failure<typeof login>['code']>(['InvalidCredentials', 'InvalidRequest']);

export type Refused = { cause: string | undefined };

/** Begins a session, or says why not. */
export async function signIn(body: Given<typeof login>['body']): Promise<Refused | undefined> {
  try {
    const { token } = await call(login, { body });
    beginSession(token);
    return undefined;
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    console.info('Login failed', failure.code, failure.reference);
    return { cause: needsNoCause.has(failure.code) ? undefined : failure.words };
  }
}
