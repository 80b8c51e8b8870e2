import { Button as MantineButton, type ButtonProps as MantineButtonProps } from '@mantine/core';
import { type ComponentPropsWithRef, type MouseEvent, useId } from 'react';
import { Hint } from './hint.tsx';

export type ButtonProps = Omit<MantineButtonProps, 'disabled'> &
  Omit<ComponentPropsWithRef<'button'>, keyof MantineButtonProps | 'disabled'> & {
    /** Grays the button out and shows the reason. The button stays focusable, so that keyboard users can read it. */
    disabledReason?: string | undefined;
  };

export function Button({ disabledReason, onClick, type = 'button', ...rest }: ButtonProps) {
  const reasonId = useId();
  // A double click must send one request, and its second click arrives before the button shows its loading state.
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
