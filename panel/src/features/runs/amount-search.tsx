import { CloseButton, TextInput } from '@mantine/core';
import { useId } from 'react';
import { useChangeView } from '#panel/domain/change-view.ts';
import { useTypedSearch } from '#panel/ui/table/typed-search.ts';
import { readAmountRange } from './amount-range.ts';

const label = 'Search amount';

/** Filters the payments by an amount or a range. The URL keeps the text as it was entered. */
export function AmountSearch({ value = '' }: { value: string | undefined }) {
  const hint = useId();
  const change = useChangeView();
  const { typed, type } = useTypedSearch({
    value,
    searchOf: (text) => (readAmountRange(text) ? text.trim() : ''),
    change: (amount, history) => change({ amount, cursor: undefined }, history),
  });
  const unreadable = typed.trim() !== '' && readAmountRange(typed) === undefined;
  return (
    <TextInput
      className="run-amount-search"
      type="search"
      aria-label={label}
      placeholder="Amount: 12.50 or 10-20"
      value={typed}
      maxLength={40}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') type('');
      }}
      rightSectionWidth={unreadable ? 132 : 34}
      rightSection={
        unreadable ? (
          <span id={hint} className="table-hint">
            12.50, 10-20 or &gt;10
          </span>
        ) : (
          typed !== '' && <CloseButton size="sm" aria-label="Clear amount" onClick={() => type('')} />
        )
      }
      {...(unreadable && { 'aria-describedby': hint })}
    />
  );
}
