import { logout } from 'contract/auth.ts';
import { call, Failure } from './call.ts';
import { meQuery } from './me.ts';
import { queryClient } from './query.ts';
import { endSession, readToken, storeToken } from './session-store.ts';

const logoutPatienceMs = 3_000;

/** Nothing that another administrator was shown may outlive their session. */
export function startSession(token: string) {
  queryClient.clear();
  storeToken(token);
}

/** Ends here even when the server does not answer: whoever presses Logout is leaving this browser. */
export async function leave() {
  // An answer that arrives after the session has ended would be a refusal.
  void queryClient.cancelQueries();
  // The call has read the token once it returns, so the session can end here before the server answers. Until it has
  // ended, live updates could send requests that the server would refuse.
  const told = call(logout, {}, AbortSignal.timeout(logoutPatienceMs));
  endSession('left');
  await told.catch((cause: unknown) => console.info('The server could not be told of the logout', cause));
}

/** Who is signed in, or undefined when nobody is; fails when the server cannot say. */
export async function askWhoIsSignedIn() {
  if (!readToken()) return undefined;
  try {
    return (await queryClient.query({ ...meQuery, staleTime: 'static' })).me;
  } catch (cause) {
    if (cause instanceof Failure && cause.code === 'SignInRequired') return undefined;
    throw cause;
  }
}
