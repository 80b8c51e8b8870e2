import { useEffect, useState } from 'react';

/** Mounted open, a window would stand there at once; opened after its first frame, it enters with its transition. */
export function useOpenedAfterMount(opened: boolean) {
  const [mounted, setMounted] = useState(false);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setMounted(true));
    return () => cancelAnimationFrame(frame);
  }, []);
  return mounted && opened;
}

/** What was shown last, for a window that leaves over 300 ms and shows it to the end. */
export function useLast<T extends string | object>(shown: T | undefined) {
  const [last, setLast] = useState(shown);
  if (shown !== undefined && shown !== last) setLast(shown);
  return shown ?? last;
}

/** Whether it has been opened yet, and so its code is needed. */
export function useEverOpened(opened: boolean) {
  const [ever, setEver] = useState(opened);
  if (opened && !ever) setEver(true);
  return ever;
}
