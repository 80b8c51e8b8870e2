import { useLayoutEffect, useRef, useState } from 'react';
import type { ColumnLayout } from './features.ts';

type Fitted = { id: string; layout: ColumnLayout };

/** The columns that give way, the readiest first, until the rest can be read in this width. */
export function columnsThatYield(columns: readonly Fitted[], width: number) {
  const ready = columns
    .filter(({ layout }) => layout.hidePriority !== undefined)
    .toSorted((a, b) => (b.layout.hidePriority ?? 0) - (a.layout.hidePriority ?? 0));
  const gone = new Set<string>();
  let needed = leastWidth(columns);
  for (const { id, layout } of ready) {
    if (needed <= width) break;
    gone.add(id);
    needed -= layout.width;
  }
  return gone;
}

export const leastWidth = (columns: readonly Fitted[]) => columns.reduce((sum, { layout }) => sum + layout.width, 0);

/** What narrower padding saves in each column; table.css has the same figure. */
const tightSaves = 12;

export const tightWidth = ({ tight, width }: ColumnLayout) => tight ?? width - tightSaves;

/** Whether narrower padding is what it takes to show every column: no column has to give way then. */
export const fitsTightly = (columns: readonly Fitted[], width: number) =>
  leastWidth(columns) > width && columns.reduce((sum, { layout }) => sum + tightWidth(layout), 0) <= width;

/** Measured before the first paint, so that no column is seen to come and go. */
export function useWidth<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  const [width, setWidth] = useState<number>();
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width] as const;
}
