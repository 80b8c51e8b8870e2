import type { ModalProps as MantineModalProps } from '@mantine/core';
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  use,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Button } from './button.tsx';
import { useEverOpened } from './opening.ts';
import './overlay.css';

export type ModalProps = Pick<MantineModalProps, 'opened' | 'onClose' | 'size' | 'onExitTransitionEnd'> & {
  title: ReactNode;
  children: ReactNode;
};

/** No page needs a modal for its first render, so the code is loaded when one opens. */
const ModalWindow = lazy(async () => ({ default: (await import('./modal-window.tsx')).ModalWindow }));

const Surrounding = createContext({ opened: true, close: () => {}, setWaiting: (_waiting: boolean) => {} });

/** Stays open while a request is pending: otherwise its result would not be shown, or would close the next modal. */
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
        <Surrounding value={{ opened, close, setWaiting }}>{children}</Surrounding>
      </ModalWindow>
    </Suspense>
  );
}

type ActionsProps = {
  /** The request is pending. */
  waiting: boolean;
  /** The buttons that perform the action of the modal. */
  children: ReactNode;
};

/** The buttons at the bottom right, the primary one last. Cancel gets the initial focus if no field does. */
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

/**
 * Focuses a field when it appears, for content that is loaded after its modal has placed the focus. It waits one frame:
 * a modal that opens without a transition records in this frame what had the focus, in order to return it when it
 * closes. Content that appears in a modal that is closing leaves the focus where it was returned to.
 */
export function useFocusOnArrival<Field extends HTMLElement>({ wanted = true } = {}) {
  const { opened } = use(Surrounding);
  const field = useRef<Field>(null);
  useEffect(() => {
    if (!wanted || !opened) return undefined;
    const frame = requestAnimationFrame(() => field.current?.focus({ preventScroll: true }));
    return () => cancelAnimationFrame(frame);
  }, [wanted, opened]);
  return field;
}
