import { Menu } from '@mantine/core';
import { IconLock, IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { MenuWindow } from '#panel/ui/menu-window.tsx';
import { useThemeToggle } from '#panel/ui/theme-toggle.ts';
import { useMe } from './me.ts';
import type { Icon } from './navigation.ts';
import { leave } from './session.ts';
import { returnToSearch } from './return-to.ts';

const icon = (Mark: Icon) => <Mark size={16} stroke={1.6} aria-hidden />;

/** Actions for the administrator's own account. Theme and Logout are in the sidebar too, as specified. */
export function AccountMenu({ face }: { face: ReactNode }) {
  const { id } = useMe();
  const { label, isDark, toggle } = useThemeToggle();
  const here = useRouterState({ select: ({ location }) => location.href });
  return (
    <MenuWindow
      position="bottom-end"
      renderButton={(ref) => (
        <button ref={ref} type="button" className="signed-in">
          {face}
        </button>
      )}
    >
      <Menu.Item
        leftSection={icon(IconUser)}
        renderRoot={(props) => <Link {...props} to="/dashboard/admin-profile/$id" params={{ id }} />}
      >
        Your profile
      </Menu.Item>
      <Menu.Item
        leftSection={icon(IconLock)}
        renderRoot={(props) => <Link {...props} to="/new-password" search={returnToSearch(here)} />}
      >
        Change password
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item leftSection={icon(isDark ? IconSun : IconMoon)} onClick={toggle}>
        {label}
      </Menu.Item>
      <Menu.Item leftSection={icon(IconLogout)} onClick={() => void leave()}>
        Logout
      </Menu.Item>
    </MenuWindow>
  );
}
