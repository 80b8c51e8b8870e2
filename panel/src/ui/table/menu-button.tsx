import { Button } from '@mantine/core';
import { type ReactNode, Suspense, useState } from 'react';

/** The content of the button, before and after its menu is loaded. */
export type MenuFace = { label: string; icon: ReactNode };

type Props = MenuFace & {
  /** Loads the code of the menu; called when the button is hovered or focused. */
  prepare: () => Promise<unknown>;
  renderMenu: (face: MenuFace) => ReactNode;
};

/** Loads the code of its menu on hover or focus, because no list needs it for its first render. */
export function MenuButton({ label, icon, prepare, renderMenu }: Props) {
  const [pressed, setPressed] = useState(false);
  const prepareQuietly = () => void prepare().catch(() => undefined);
  const button = (
    <Button
      variant="default"
      leftSection={icon}
      aria-haspopup="menu"
      onPointerEnter={prepareQuietly}
      onFocus={prepareQuietly}
      onClick={() => setPressed(true)}
    >
      {label}
    </Button>
  );
  return pressed ? <Suspense fallback={button}>{renderMenu({ label, icon })}</Suspense> : button;
}
