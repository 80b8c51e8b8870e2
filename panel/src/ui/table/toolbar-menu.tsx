import '@mantine/core/styles/Menu.layer.css';
import { Button, Menu } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useOpenedAfterMount } from '../opening.ts';
import type { MenuFace } from './menu-button.tsx';

type Props = { face: MenuFace; position: 'bottom-start' | 'bottom-end'; children: ReactNode };

/** Takes the place of a menu button when it is pressed first, and opens. */
export function ToolbarMenu({ face, position, children }: Props) {
  const [wanted, setWanted] = useState(true);
  const opened = useOpenedAfterMount(wanted);
  const button = useRef<HTMLButtonElement>(null);
  // The button that was pressed is gone: closing must lead back to the one that took its place.
  useEffect(() => button.current?.focus(), []);
  return (
    <Menu
      opened={opened}
      onChange={setWanted}
      position={position}
      width={220}
      shadow="md"
      withInitialFocusPlaceholder={false}
      withinPortal={false}
    >
      <Menu.Target>
        <Button ref={button} variant="default" leftSection={face.icon}>
          {face.label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
