import { useEffect, useRef, useState } from 'react';

/** A save within this time after a newer version appears is based on the old one: its notice cannot have been read. */
const readingMs = 1_000;

/** Keeps the edits of a stored record. A field that was not edited follows the record when others change it. */
export function useEdits<Values extends object>(stored: Values, version: number) {
  const [edits, setEdits] = useState<Partial<Values>>({});
  const [startedAt, setStartedAt] = useState(version);
  const shownSince = useRef(0);
  const touched = Object.keys(edits).length > 0;
  if (!touched && startedAt !== version) setStartedAt(version);
  useEffect(() => {
    shownSince.current = Date.now();
  }, [version]);
  return {
    values: { ...stored, ...edits },
    /** A newer version was saved since the edits started. The form shows a notice, because saving overwrites it. */
    isOutdated: touched && startedAt !== version,
    /** Returns the version to save over: until the notice can be read the old one, which the server refuses. */
    versionToSave: () => (Date.now() - shownSince.current < readingMs ? startedAt : version),
    edit: (more: Partial<Values>) => setEdits((before) => ({ ...before, ...more })),
    forget: () => setEdits({}),
  };
}
