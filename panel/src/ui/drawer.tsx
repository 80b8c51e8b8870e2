import { Drawer as MantineDrawer, type DrawerProps as MantineDrawerProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOpenedAfterMount } from './opening.ts';
import './overlay.css';

const drawerMs = 300;
const backdropMs = 150;

export type DrawerProps = Pick<MantineDrawerProps, 'opened' | 'onClose' | 'size' | 'position'> & {
  title: ReactNode;
  children: ReactNode;
  /** The content has its own padding and height. */
  flush?: boolean;
};

/** A side sheet over the page that opened it. */
export function Drawer({ position = 'right', size = 520, flush = false, opened, ...rest }: DrawerProps) {
  return (
    <MantineDrawer
      {...rest}
      opened={useOpenedAfterMount(opened)}
      position={position}
      size={size}
      classNames={{
        overlay: 'overlay-veil',
        content: 'overlay-content overlay-side',
        header: 'overlay-head',
        title: 'overlay-title',
        body: flush ? 'overlay-flush' : 'overlay-body',
      }}
      transitionProps={{ duration: drawerMs }}
      overlayProps={{ transitionProps: { duration: backdropMs } }}
      closeButtonProps={{ 'aria-label': 'Close' }}
      attributes={{ header: { role: 'presentation' } }}
    />
  );
}
