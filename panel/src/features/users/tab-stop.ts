import { createContext, use, useEffect } from 'react';

export type Stops = {
  active: string | undefined;
  setActive: (change: (now: string | undefined) => string | undefined) => void;
};

/** The item in the tab order, identified by its path because a user can appear twice in a loop of sponsors. */
export const TabStops = createContext<Stops>({ active: undefined, setActive: () => undefined });

/** Returns the tabIndex. The first item is the tab stop until another is focused, and again when that one unmounts. */
export function useTabStop(path: string, first: boolean) {
  const { active, setActive } = use(TabStops);
  useEffect(() => () => setActive((now) => (now === path ? undefined : now)), [path, setActive]);
  return (active === undefined ? first : active === path) ? 0 : -1;
}
