import type { ModalProps as MantineModalProps } from '@mantine/core';
import { createContext, lazy, type ReactNode, Suspense, use, useLayoutEffect, useState } from 'react';
import { Button } from './button.tsx';
import { useEverOpened } from './opening.ts';
import './overlay.css';

export type ModalProps = Pick<MantineModalProps, 'opened' | 'onClose' | 'size' | 'onExitTransitionEnd'> & {
  title: ReactNode;
  children: ReactNode;
};

/** No page needs a modal to appear; its code comes with the first one that opens. */
const ModalWindow = lazy(async () => ({ default: (await import('./modal-window.tsx')).ModalWindow }));

const Surrounding = createContext({ close: () => {}, setWaiting: (_waiting: boolean) => {} });

/** Stays while an answer is waited for: that would be told to nobody, or close what was opened next. */
export function Modal({ opened, onClose, children, ...rest }: ModalProps) {
  const [waiting, setWaiting] = useState(false);
  const close = () => {
    if (!waiting) onClose();
  };
  if (!useEverOpened(opened)) return null;
  return (
    <Suspense>
      <ModalWindow
        {...rest}
        opened={opened}
        onClose={close}
        closeButtonProps={{ 'aria-label': 'Close', disabled: waiting }}
      >
        <Surrounding value={{ close, setWaiting }}>{children}</Surrounding>
      </ModalWindow>
    </Suspense>
  );
}

type ActionsProps = {
  /** What was sent is not answered yet. */
  waiting: boolean;
  /** What the modal is for. */
  children: ReactNode;
};

/** The buttons at the bottom right, the primary one last. Cancel has the focus where no field wants it. */
export function ModalActions({ waiting, children }: ActionsProps) {
  const { close, setWaiting } = use(Surrounding);
  useLayoutEffect(() => {
    setWaiting(waiting);
    return () => setWaiting(false);
  }, [waiting, setWaiting]);
  return (
    <div className="overlay-actions">
      <Button
        variant="default"
        data-autofocus
        disabledReason={waiting ? 'The server has not answered yet.' : undefined}
        onClick={close}
      >
        Cancel
      </Button>
      {children}
    </div>
  );
}
