import { logout } from 'contract/auth.ts';
import { call, Failure } from './call.ts';
import { meQuery } from './me.ts';
import { queryClient } from './query.ts';
import { endSession, readToken, storeToken } from './session-store.ts';

const logoutPatienceMs = 3_000;

/** Starts a session with an empty cache: data of another administrator must not outlive their session. */
export function startSession(token: string) {
  queryClient.clear();
  storeToken(token);
}

/** Logs out. Ends the session here even if the server does not respond: the user is leaving this browser. */
export async function leave() {
  // A response that arrives after the session has ended would be a refusal.
  void queryClient.cancelQueries();
  // The call has read the token once it returns, so the session can end here before the server answers. Until it has
  // ended, live updates could send requests that the server would refuse.
  const request = call(logout, {}, AbortSignal.timeout(logoutPatienceMs));
  endSession('left');
  await request.catch((cause: unknown) => console.info('The server did not receive the logout', cause));
}

/** Returns the signed-in administrator, or undefined if there is none. Throws if the server does not answer. */
export async function fetchSignedInAdmin() {
  if (!readToken()) return undefined;
  try {
    return (await queryClient.query({ ...meQuery, staleTime: 'static' })).me;
  } catch (cause) {
    if (cause instanceof Failure && cause.code === 'SignInRequired') return undefined;
    throw cause;
  }
}
