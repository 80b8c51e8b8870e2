import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

const pauseMs = 250;

type Options = {
  /** The search text in the URL. */
  value: string;
  /** Returns the text to search for when this text is typed; empty if it is too short. */
  searchOf: (text: string) => string;
  change: (wanted: string | undefined, history: { replace: boolean }) => void;
};

/** Manages the text of a search field. The URL follows the field after a short pause, and the field follows the URL. */
export function useTypedSearch({ value, searchOf, change }: Options) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((text: string) => {
    const wanted = searchOf(text);
    if (wanted === value) return;
    sent.current = wanted;
    // Adds one history entry per search, not one per letter.
    change(wanted || undefined, { replace: value !== '' });
  }, pauseMs);

  // Back, Forward or a link changed the URL, so the field follows. Changes by the field itself are ignored here.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    send.cancel();
    setTyped(value);
  }, [value, send]);

  const type = (text: string) => {
    setTyped(text);
    send(text);
  };
  return { typed, type };
}
