import { createContext, use, useEffect } from 'react';

export type Stops = {
  active: string | undefined;
  setActive: (change: (now: string | undefined) => string | undefined) => void;
};

/** The item that Tab leads to. A user can stand twice in a circle of sponsors, so that it is named by its path. */
export const TabStops = createContext<Stops>({ active: undefined, setActive: () => undefined });

/** The first item until another was focused, and again when that one has left. */
export function useTabStop(path: string, first: boolean) {
  const { active, setActive } = use(TabStops);
  useEffect(() => () => setActive((now) => (now === path ? undefined : now)), [path, setActive]);
  return (active === undefined ? first : active === path) ? 0 : -1;
}
