import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useEffectEvent } from 'react';
import { Drawer } from '#panel/ui/drawer.tsx';
import { Logo } from '#panel/ui/brand.tsx';
import { Sidebar } from './sidebar.tsx';

/** The sidebar as a drawer, on screens too narrow for a fixed one. */
export function MobileMenu({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const wide = useMediaQuery('(min-width: 768px)', false, { getInitialValueInEffect: false });
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (wide) close();
  }, [wide]);
  return (
    <Drawer opened={opened && !wide} onClose={onClose} title={<Logo />} position="left" size="80vw" flush>
      <Sidebar onChoose={onClose} />
    </Drawer>
  );
}
