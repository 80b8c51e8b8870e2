import { login } from 'contract/auth.ts';
import { finishSso, finishSsoWithCode } from 'contract/auth-sso.ts';
import type { Given } from 'contract/core/endpoint.ts';
import { call, Failure } from './call.ts';
import { fetchSignedInAdmin, startSession } from './session.ts';

/** Failures that need no second line, because the first one already names the cause: the credentials. */
const needsNoCause = new Set<string>(['InvalidCredentials', 'InvalidRequest']);

/** Why a login was refused. `factor`: the first step was right, and a code is needed too. */
export type Refused = { cause: string | undefined; factor?: 'required' };

const plainHttp =
  'The password was accepted, but the browser discarded the session cookie because this page was opened over plain http. ' +
  'Open it over https, or on the server itself at http://localhost.';
const noCookies =
  'The password was accepted, but the browser discarded the session cookie. Allow cookies for this site and try again.';

/** Starts a session. Returns undefined on success, and otherwise the cause to show. */
export const signIn = (body: Given<typeof login>['body']) => enter(() => call(login, { body }));

/** Starts a session with the answer of the single sign-on provider. Returns what `signIn` does. */
export const finishSingleSignOn = (query: string) => enter(() => call(finishSso, { body: { query } }));

/** Finishes single sign-on of an account with a second factor. Returns what `signIn` does. */
export const finishSingleSignOnWithCode = (code: string) => enter(() => call(finishSsoWithCode, { body: { code } }));

async function enter(request: () => Promise<{ token: string }>): Promise<Refused | undefined> {
  try {
    const { token } = await request();
    startSession(token);
    // Half of the session is a cookie that no script can see: only the server can tell whether the browser kept it.
    if (await fetchSignedInAdmin()) return undefined;
    console.info('Login failed', 'the session cookie was not kept');
    return { cause: window.isSecureContext ? noCookies : plainHttp };
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    const { code } = failure as Failure<typeof login>;
    if (code === 'FactorRequired') return { cause: undefined, factor: 'required' };
    console.info('Login failed', code, failure.reference);
    return { cause: needsNoCause.has(code) ? undefined : failure.message };
  }
}
