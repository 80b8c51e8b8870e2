import { useEffect, useRef, useState } from 'react';

/** Whoever saves sooner after a notice than it can be read means what stood there before it. */
const readingMs = 1_000;

/** What is typed over a stored record: a field that nobody touched follows the record, whoever changes it. */
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
    /** Another version was saved since the typing started. The form tells it, for what is saved next goes over that one. */
    overtaken: touched && startedAt !== version,
    /** Asked for when saving: until the newer one has been told it is the old one, which the server refuses. */
    versionToSave: () => (Date.now() - shownSince.current < readingMs ? startedAt : version),
    edit: (more: Partial<Values>) => setEdits((before) => ({ ...before, ...more })),
    forget: () => setEdits({}),
  };
}
