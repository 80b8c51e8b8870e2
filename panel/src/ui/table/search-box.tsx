import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useId } from 'react';
import { useTypedSearch } from './typed-search.ts';
import type { ChangeView } from './view.ts';
import './toolbar.css';

export type SearchOptions = {
  /** What the search covers, such as "Search subject, username or ID". */
  label: string;
  /** The minimum length of a word, because the server's index needs it. */
  from: number;
};

type Props = SearchOptions & { value: string | undefined; change: ChangeView };

export function SearchBox({ label, from, value = '', change }: Props) {
  const hint = useId();
  const { typed, type } = useTypedSearch({
    value,
    searchOf: (text) => searchFor(text, from),
    change: (search, history) => change({ search, cursor: undefined }, history),
  });
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

/** Returns the text to search for: empty until it contains `from` letters or digits in a row. */
function searchFor(text: string, from: number) {
  return new RegExp(`[\\p{L}\\p{N}]{${from}}`, 'u').test(text) ? text.trim() : '';
}
