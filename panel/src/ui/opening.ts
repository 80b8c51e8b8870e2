import { useEffect, useState } from 'react';

/** Opens a window one frame after it is mounted, because a window that is mounted open skips its transition. */
export function useOpenedAfterMount(opened: boolean) {
  const [mounted, setMounted] = useState(false);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setMounted(true));
    return () => cancelAnimationFrame(frame);
  }, []);
  return mounted && opened;
}

/** Returns the last defined value, for a window that still shows it during the 300 ms in which it closes. */
export function useLast<T extends string | object>(shown: T | undefined) {
  const [last, setLast] = useState(shown);
  if (shown !== undefined && shown !== last) setLast(shown);
  return shown ?? last;
}

/** Returns whether it has ever been opened, which is when its code is needed. */
export function useEverOpened(opened: boolean) {
  const [ever, setEver] = useState(opened);
  if (opened && !ever) setEver(true);
  return ever;
}
