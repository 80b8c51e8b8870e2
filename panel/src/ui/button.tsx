import { Button as MantineButton, type ButtonProps as MantineButtonProps } from '@mantine/core';
import { type ComponentPropsWithRef, type MouseEvent, useId } from 'react';
import { Hint } from './hint.tsx';

export type ButtonProps = Omit<MantineButtonProps, 'disabled'> &
  Omit<ComponentPropsWithRef<'button'>, keyof MantineButtonProps | 'disabled'> & {
    /** Greys the button out and says why; it stays reachable by keyboard, so that the reason is too. */
    disabledReason?: string | undefined;
  };

export function Button({ disabledReason, onClick, type = 'button', ...rest }: ButtonProps) {
  const reasonId = useId();
  // A double click is one request, and its second half comes before the button shows that it waits.
  const clickOnce = (event: MouseEvent<HTMLButtonElement>) => {
    if (rest.loading !== undefined && event.detail > 1) event.preventDefault();
    else onClick?.(event);
  };
  if (!disabledReason) return <MantineButton {...rest} type={type} onClick={clickOnce} />;
  return (
    <Hint id={reasonId} label={disabledReason}>
      <MantineButton
        {...rest}
        type={type}
        aria-disabled
        aria-describedby={reasonId}
        data-disabled
        onClick={(event: MouseEvent) => event.preventDefault()}
      />
    </Hint>
  );
}
