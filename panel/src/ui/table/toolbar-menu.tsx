import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { MenuWindow } from '../menu-window.tsx';
import type { MenuFace } from './menu-button.tsx';

type Props = { face: MenuFace; position: 'bottom-start' | 'bottom-end'; children: ReactNode };

export function ToolbarMenu({ face, position, children }: Props) {
  return (
    <MenuWindow
      position={position}
      renderButton={(ref) => (
        <Button ref={ref} variant="default" leftSection={face.icon}>
          {face.label}
        </Button>
      )}
    >
      {children}
    </MenuWindow>
  );
}
