import { useSyncExternalStore } from 'react';
import { followedTaskPrefix } from '#panel/shell/session-store.ts';

const readers = new Set<() => void>();

function subscribe(read: () => void) {
  readers.add(read);
  // Fires for changes in other windows of the same browser.
  window.addEventListener('storage', read);
  return () => {
    readers.delete(read);
    window.removeEventListener('storage', read);
  };
}

/** A personal mark, stored in this browser until the administrator logs out. */
export function useFollowed(id: string) {
  const key = `${followedTaskPrefix}${id}`;
  const followed = useSyncExternalStore(subscribe, () => localStorage.getItem(key) !== null);
  const follow = (wanted: boolean) => {
    if (wanted) localStorage.setItem(key, 'true');
    else localStorage.removeItem(key);
    for (const read of readers) read();
  };
  return { followed, follow };
}
