import { Button } from '@mantine/core';
import { type ReactNode, Suspense, useState } from 'react';

/** What stands on the button, whoever draws it. */
export type MenuFace = { label: string; icon: ReactNode };

type Props = MenuFace & {
  /** Fetches what `renderMenu` draws; called as soon as someone points at the button. */
  prepare: () => Promise<unknown>;
  renderMenu: (face: MenuFace) => ReactNode;
};

/** No list needs its menus to appear: their code comes when a button is pointed at. */
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
