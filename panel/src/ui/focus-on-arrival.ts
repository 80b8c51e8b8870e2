import { useEffect, useRef } from 'react';

/**
 * Focuses a field when it appears, for content that is loaded after its modal has placed the focus. It waits one frame:
 * a modal that opens without a transition records in this frame what had the focus, in order to return it when it closes.
 */
export function useFocusOnArrival<Field extends HTMLElement>({ wanted = true } = {}) {
  const field = useRef<Field>(null);
  useEffect(() => {
    if (!wanted) return undefined;
    const frame = requestAnimationFrame(() => field.current?.focus({ preventScroll: true }));
    return () => cancelAnimationFrame(frame);
  }, [wanted]);
  return field;
}
