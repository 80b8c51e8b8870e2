import { useRouter, useRouterState } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';

/**
 * Whoever navigates by keyboard or by ear goes on in the new page, not in the link that led to it; whoever goes back to
 * a list goes on in the row that they left.
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

/** The row that had the focus when an entry of the history was left, by the key of that entry. */
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
