import '@mantine/core/styles/Menu.layer.css';
import { Menu } from '@mantine/core';
import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useOpenedAfterMount } from './opening.ts';

type Props = {
  position: 'bottom-start' | 'bottom-end';
  /** Draws the button from which the menu hangs. */
  renderButton: (ref: RefObject<HTMLButtonElement | null>) => ReactElement;
  children: ReactNode;
};

/** Takes the place of a menu button when it is pressed first, and opens. */
export function MenuWindow({ position, renderButton, children }: Props) {
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
      <Menu.Target>{renderButton(button)}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
