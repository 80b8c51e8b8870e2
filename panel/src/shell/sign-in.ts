import { login } from 'contract/auth.ts';
import type { Given } from 'contract/core/endpoint.ts';
import { call, Failure } from './call.ts';
import { fetchSignedInAdmin, startSession } from './session.ts';

/** Failures that need no second line, because the first one already names the cause: the credentials. */
const needsNoCause = new Set<Failure<typeof login>['code']>(['InvalidCredentials', 'InvalidRequest']);

export type Refused = { cause: string | undefined };

const plainHttp =
  'The password was accepted, but the browser discarded the session cookie because this page was opened over plain http. ' +
  'Open it over https, or on the server itself at http://localhost.';
const noCookies =
  'The password was accepted, but the browser discarded the session cookie. Allow cookies for this site and try again.';

/** Starts a session. Returns undefined on success, and otherwise the cause to show. */
export async function signIn(body: Given<typeof login>['body']): Promise<Refused | undefined> {
  try {
    const { token } = await call(login, { body });
    startSession(token);
    // Half of the session is a cookie that no script can see: only the server can tell whether the browser kept it.
    if (await fetchSignedInAdmin()) return undefined;
    console.info('Login failed', 'the session cookie was not kept');
    return { cause: window.isSecureContext ? noCookies : plainHttp };
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    console.info('Login failed', failure.code, failure.reference);
    return { cause: needsNoCause.has(failure.code) ? undefined : failure.message };
  }
}
