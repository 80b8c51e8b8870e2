import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { ChangeView } from './view.ts';
import './toolbar.css';

const pauseMs = 250;

export type SearchOptions = {
  /** What can be found, such as "Search subject, username or ID". */
  label: string;
  /** The server's index needs words of this length. */
  from: number;
};

type Props = SearchOptions & { value: string | undefined; change: ChangeView };

export function SearchBox({ label, from, value = '', change }: Props) {
  const hint = useId();
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((text: string) => {
    const wanted = searchFor(text, from);
    if (wanted === value) return;
    sent.current = wanted;
    // One entry in the history for each search, not one for each letter.
    change({ search: wanted || undefined, cursor: undefined }, { replace: value !== '' });
  }, pauseMs);

  // Back, Forward or a link changed the address under the box: the box follows. Its own changes only come back.
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
  const tooShort = typed.trim() !== '' && searchFor(typed, from) === '';

  return (
    <TextInput
      className="table-search"
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      maxLength={100}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') type('');
      }}
      leftSection={<IconSearch size={16} stroke={1.75} aria-hidden />}
      rightSectionWidth={tooShort ? 118 : 34}
      rightSection={
        tooShort ? (
          <span id={hint} className="table-hint">
            {from} letters or more
          </span>
        ) : (
          typed !== '' && <CloseButton size="sm" aria-label="Clear search" onClick={() => type('')} />
        )
      }
      {...(tooShort && { 'aria-describedby': hint })}
    />
  );
}

/** What is asked of the server for these letters: nothing until there are enough of them in a row. */
function searchFor(text: string, from: number) {
  return new RegExp(`[\\p{L}\\p{N}]{${from}}`, 'u').test(text) ? text.trim() : '';
}
