const tokenKey = 'token';
export const followedTaskPrefix = 'followed-task-';

/** `left`: the administrator logged out. `refused`: the server no longer accepts the session. */
export type Ending = 'left' | 'refused';
type Listener = (ending: Ending) => unknown;
const endings = new Set<Listener>();

export const readToken = () => localStorage.getItem(tokenKey);

export const storeToken = (token: string) => localStorage.setItem(tokenKey, token);

let change: Promise<unknown> | undefined;

/** Stores the new token of a call after which the server refuses the current one. */
export async function changeToken<A extends { token: string }>(request: Promise<A>): Promise<A> {
  const changed = request.then((answer) => {
    storeToken(answer.token);
    return answer;
  });
  const settled = changed.catch(() => undefined);
  change = settled;
  try {
    return await changed;
  } finally {
    if (change === settled) change = undefined;
  }
}

export const isTokenChanging = () => change !== undefined;

/** Waits for the new token, if there will be one: the server may refuse the old one before the new one arrives. */
export const untilTokenChanged = async () => change;

/** Removes everything that the browser stores for a session; the theme is not part of it. */
function forgetSession() {
  const ofSession = Object.keys(localStorage).filter((key) => key === tokenKey || key.startsWith(followedTaskPrefix));
  for (const key of ofSession) localStorage.removeItem(key);
}

export function endSession(ending: Ending) {
  forgetSession();
  for (const listener of endings) listener(ending);
}

export function whenSessionEnds(listener: Listener) {
  endings.add(listener);
  return () => endings.delete(listener);
}

// Logging out in one tab logs out in all tabs.
window.addEventListener('storage', ({ key, newValue }) => {
  const allCleared = key === null;
  if (allCleared || (key === tokenKey && newValue === null)) endSession('left');
});
