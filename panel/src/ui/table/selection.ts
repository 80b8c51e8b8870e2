import { useRef, useState } from 'react';

type Identified = { id: string };

export type Selection<Row extends Identified> = {
  /** The selected rows, in the order of the list. */
  chosen: readonly Row[];
  /** The rows on this page that can be selected. */
  choosable: readonly Row[];
  /** With `range`, all rows between this one and the previously toggled one get the same state. */
  toggle: (id: string, how?: { range: boolean }) => void;
  toggleAll: () => void;
  clear: () => void;
};

/** Selects among the rows on the screen, so that no action affects a row that is not shown. */
export function useSelection<Row extends Identified>(
  rows: readonly Row[] | undefined,
  canSelect: (row: Row) => boolean,
): Selection<Row> {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string>(undefined);
  const choosable = (rows ?? []).filter(canSelect);
  const chosen = choosable.filter(({ id }) => ids.has(id));

  const toggle = (id: string, { range } = { range: false }) => {
    const touched = range ? between(choosable, last.current ?? id, id) : [id];
    const selects = !ids.has(id);
    last.current = id;
    setIds((before) => {
      const after = new Set(before);
      for (const each of touched) {
        if (selects) after.add(each);
        else after.delete(each);
      }
      return after;
    });
  };
  const clear = () => setIds(new Set());
  const toggleAll = () =>
    chosen.length === choosable.length ? clear() : setIds(new Set(choosable.map(({ id }) => id)));
  return { chosen, choosable, toggle, toggleAll, clear };
}

/** Returns the ids between two rows in either order; only `other` if `one` is no longer listed. */
function between(rows: readonly Identified[], one: string, other: string) {
  const ids = rows.map(({ id }) => id);
  const [first, second] = [ids.indexOf(one), ids.indexOf(other)];
  if (first === -1) return [other];
  return ids.slice(Math.min(first, second), Math.max(first, second) + 1);
}
