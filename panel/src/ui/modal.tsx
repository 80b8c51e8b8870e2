import type { ModalProps as MantineModalProps } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { useEverOpened } from './opening.ts';
import './overlay.css';

export type ModalProps = Pick<MantineModalProps, 'opened' | 'onClose' | 'size' | 'onExitTransitionEnd'> & {
  title: ReactNode;
  children: ReactNode;
  /** Buttons at the bottom right, the primary one last. A form keeps its own inside itself, in ModalActions. */
  actions?: ReactNode;
};

/** No page needs a modal to appear; its code comes with the first one that opens. */
const ModalWindow = lazy(async () => ({ default: (await import('./modal-window.tsx')).ModalWindow }));

export function Modal({ opened, actions, children, ...rest }: ModalProps) {
  if (!useEverOpened(opened)) return null;
  return (
    <Suspense>
      <ModalWindow {...rest} opened={opened}>
        {children}
        {actions && <ModalActions>{actions}</ModalActions>}
      </ModalWindow>
    </Suspense>
  );
}

export function ModalActions({ children }: { children: ReactNode }) {
  return <div className="overlay-actions">{children}</div>;
}
