import { useEffect, useRef, useState } from 'react';

const glowMs = 2_400;
const none: ReadonlySet<string> = new Set();

type Seen = { view: string; signatures: ReadonlyMap<string, string> };

/**
 * Returns the rows that were changed or added since this view was last rendered. Another page or filter is another
 * view, and a new view has no changes.
 */
export function useChangedRows(view: string, signatures: ReadonlyMap<string, string> | undefined) {
  const seen = useRef<Seen>(undefined);
  const [changed, setChanged] = useState(none);

  useEffect(() => {
    if (!signatures) return undefined;
    const before = seen.current;
    seen.current = { view, signatures };
    if (before?.view !== view) return undefined;
    const fresh = [...signatures].filter(([id, signature]) => before.signatures.get(id) !== signature);
    if (fresh.length === 0) return undefined;
    setChanged(new Set(fresh.map(([id]) => id)));
    return undefined;
  }, [view, signatures]);

  useEffect(() => {
    if (changed === none) return undefined;
    const timer = setTimeout(() => setChanged(none), glowMs);
    return () => clearTimeout(timer);
  }, [changed]);

  return changed;
}
