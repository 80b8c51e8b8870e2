import '@mantine/core/styles/Menu.layer.css';
import { Menu } from '@mantine/core';
import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useOpenedAfterMount } from './opening.ts';

type Props = {
  position: 'bottom-start' | 'bottom-end';
  /** Renders the button that the menu is attached to. */
  renderButton: (ref: RefObject<HTMLButtonElement | null>) => ReactElement;
  children: ReactNode;
};

/** Replaces a menu button on its first press, and opens the menu. */
export function MenuWindow({ position, renderButton, children }: Props) {
  const [wanted, setWanted] = useState(true);
  const opened = useOpenedAfterMount(wanted);
  const button = useRef<HTMLButtonElement>(null);
  // The pressed button was unmounted: closing the menu must return the focus to its replacement.
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
      <Menu.Target>{renderButton(button)}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
