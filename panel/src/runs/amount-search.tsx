import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useId, useRef, useState } from 'react';
import { useChangeView } from '#panel/shell/change-view.ts';
import { readAmountRange } from './amount-range.ts';

const pauseMs = 250;
const label = 'Search amount';

/** Narrows the payments to an amount or a range of amounts; the address keeps what was entered. */
export function AmountSearch({ value = '' }: { value: string | undefined }) {
  const hint = useId();
  const change = useChangeView();
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((text: string) => {
    const wanted = readAmountRange(text) ? text.trim() : '';
    if (wanted === value) return;
    sent.current = wanted;
    change({ amount: wanted || undefined, cursor: undefined }, { replace: value !== '' });
  }, pauseMs);

  // Back, Forward or a removed filter changed the address under the field: the field follows.
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
