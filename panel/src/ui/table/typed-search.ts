import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

const pauseMs = 250;

type Options = {
  /** What the address holds. */
  value: string;
  /** What is searched for when this text is typed; empty where it is not enough for a search. */
  searchOf: (text: string) => string;
  change: (wanted: string | undefined, history: { replace: boolean }) => void;
};

/** The text of a search field. The address follows it after a short pause, and it follows the address. */
export function useTypedSearch({ value, searchOf, change }: Options) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((text: string) => {
    const wanted = searchOf(text);
    if (wanted === value) return;
    sent.current = wanted;
    // One entry in the history for each search, not one for each letter.
    change(wanted || undefined, { replace: value !== '' });
  }, pauseMs);

  // Back, Forward or a link changed the address: the field follows. Its own changes only come back.
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
