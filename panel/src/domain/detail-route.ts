import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useChangeView } from './change-view.ts';

declare module '@tanstack/history' {
  interface HistoryState {
    /** The previous history entry is the list from which this detail view was opened. */
    behindIsList?: true;
  }
}

/** Returns the navigation that opens a row over its list; `key` is the URL parameter. */
export const overList = (key: string, id: string) =>
  ({
    to: '.',
    search: ((before: object) => ({ ...before, [key]: id })) as never,
    state: { behindIsList: true },
    resetScroll: false,
  }) as const;

/** Opens and closes a detail view. Closing goes back to the list, unless the view was opened by its URL. */
export function useDetailRoute(key: string, shown: string | undefined) {
  const router = useRouter();
  const navigate = useNavigate();
  const change = useChangeView();
  const leaving = useRef(false);
  useEffect(() => {
    leaving.current = false;
  }, [shown]);
  const open = ({ id }: { id: string }) => void navigate(overList(key, id));
  const close = () => {
    // A held Escape key would go back past the list.
    if (leaving.current) return;
    leaving.current = true;
    if (router.state.location.state.behindIsList) router.history.back();
    else change({ [key]: undefined }, { replace: true });
  };
  /** Replaces this row by another one: closing still goes back to the list. */
  const step = (id: string) => change({ [key]: id }, { replace: true });
  return { open, close, step };
}
