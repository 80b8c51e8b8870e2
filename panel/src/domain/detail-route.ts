import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useChangeView } from './change-view.ts';

declare module '@tanstack/history' {
  interface HistoryState {
    /** The entry before this one is the list over which it stands open. */
    behindIsList?: true;
  }
}

/** Where a row of this list stands open over it; `key` is its name in the address. */
export const overList = (key: string, id: string) =>
  ({
    to: '.',
    search: ((before: object) => ({ ...before, [key]: id })) as never,
    state: { behindIsList: true },
    resetScroll: false,
  }) as const;

/** Closing goes back to the list as it was left; what was opened by its own address has no list behind it. */
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
  /** To another row in place of this one: closing still goes back to the list. */
  const step = (id: string) => change({ [key]: id }, { replace: true });
  return { open, close, step };
}
