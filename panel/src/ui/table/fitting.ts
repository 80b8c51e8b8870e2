import { useLayoutEffect, useRef, useState } from 'react';
import type { ColumnLayout } from './features.ts';

type Fitted = { id: string; layout: ColumnLayout };

/** Returns the columns to hide, highest `hidePriority` first, so that the others fit in this width. */
export function columnsToHide(columns: readonly Fitted[], width: number) {
  const hideable = columns
    .filter(({ layout }) => layout.hidePriority !== undefined)
    .toSorted((a, b) => (b.layout.hidePriority ?? 0) - (a.layout.hidePriority ?? 0));
  const hidden = new Set<string>();
  let needed = leastWidth(columns);
  for (const { id, layout } of hideable) {
    if (needed <= width) break;
    hidden.add(id);
    needed -= layout.width;
  }
  return hidden;
}

export const leastWidth = (columns: readonly Fitted[]) => columns.reduce((sum, { layout }) => sum + layout.width, 0);

/** The pixels that narrower padding saves in each column; table.css has the same value. */
const tightSaves = 12;

export const tightWidth = ({ tight, width }: ColumnLayout) => tight ?? width - tightSaves;

/** Returns whether narrower padding is necessary and sufficient to show every column. */
export const fitsTightly = (columns: readonly Fitted[], width: number) =>
  leastWidth(columns) > width && columns.reduce((sum, { layout }) => sum + tightWidth(layout), 0) <= width;

/** Measures the width before the first paint, so that no column appears and then disappears. */
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
