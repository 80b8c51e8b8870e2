const tokenKey = 'token';
export const followedTaskPrefix = 'followed-task-';

/** `left`: the administrator logged out. `refused`: the server no longer accepts the session. */
export type Ending = 'left' | 'refused';
type Listener = (ending: Ending) => unknown;
const endings = new Set<Listener>();

export const readToken = () => localStorage.getItem(tokenKey);

export const storeToken = (token: string) => localStorage.setItem(tokenKey, token);

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
