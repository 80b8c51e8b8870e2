const tokenKey = 'token';
export const followedTaskPrefix = 'followed-task-';

/** `left`: somebody pressed Logout. `refused`: the server no longer knows the session. */
export type Ending = 'left' | 'refused';
type Listener = (ending: Ending) => unknown;
const endings = new Set<Listener>();

export const readToken = () => localStorage.getItem(tokenKey);

export const storeToken = (token: string) => localStorage.setItem(tokenKey, token);

/** Everything that the browser keeps of a session; the theme is no part of it. */
function forgetSession() {
  const ofSession = Object.keys(localStorage).filter((key) => key === tokenKey || key.startsWith(followedTaskPrefix));
  for (const key of ofSession) localStorage.removeItem(key);
}

export function endSession(ending: Ending) {
  forgetSession();
  for (const tell of endings) tell(ending);
}

export function whenSessionEnds(tell: Listener) {
  endings.add(tell);
  return () => endings.delete(tell);
}

// Logout in one tab is logout in all.
window.addEventListener('storage', ({ key, newValue }) => {
  const allCleared = key === null;
  if (allCleared || (key === tokenKey && newValue === null)) endSession('left');
});
