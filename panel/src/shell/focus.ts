import { useRouter, useRouterState } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';

/**
 * Moves the focus to the new page after navigation, so that keyboard and screen reader users continue there. Going
 * back to a list focuses the row that had the focus before.
 */
export function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const router = useRouter();
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const arrivedFrom = useRef(pathname);
  const rowIn = useRowsLeft();
  useEffect(() => {
    if (arrivedFrom.current !== undefined && arrivedFrom.current !== pathname) {
      const left = rowIn(router.state.resolvedLocation?.state.__TSR_key);
      const row = left && main.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(left)}"]`);
      (row || main.current)?.focus({ preventScroll: true });
    }
    arrivedFrom.current = pathname;
  }, [pathname, router, rowIn]);
  return main;
}

/** Remembers the focused row of each history entry when the entry is left, by its key. */
function useRowsLeft() {
  const router = useRouter();
  const rows = useRef(new Map<string, string>());
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ fromLocation }) => {
        const key = fromLocation?.state.__TSR_key;
        const row = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset['row'];
        if (key !== undefined && row !== undefined) rows.current.set(key, row);
      }),
    [router],
  );
  return useCallback((key: string | undefined) => (key === undefined ? undefined : rows.current.get(key)), []);
}
