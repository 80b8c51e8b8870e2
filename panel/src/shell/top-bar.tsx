import { ActionIcon, VisuallyHidden } from '@mantine/core';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand, IconMenu2 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Logo } from '#panel/ui/brand.tsx';
import { MaintenanceMark } from './maintenance-mark.tsx';
import { useMe } from './me.ts';

type TopBarProps = { collapsed: boolean; onCollapse: (collapsed: boolean) => void; onOpenMenu: () => void };

export function TopBar({ collapsed, onCollapse, onOpenMenu }: TopBarProps) {
  const Toggle = collapsed ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;
  return (
    <header className="top-bar">
      <ActionIcon
        className="top-bar-menu"
        variant="subtle"
        color="gray"
        size={36}
        aria-label="Open menu"
        onClick={onOpenMenu}
      >
        <IconMenu2 size={20} stroke={1.6} />
      </ActionIcon>
      <ActionIcon
        className="top-bar-collapse"
        variant="subtle"
        color="gray"
        size={36}
        aria-label={collapsed ? 'Expand sidebar' : 'Collapse sidebar'}
        aria-expanded={!collapsed}
        onClick={() => onCollapse(!collapsed)}
      >
        <Toggle size={20} stroke={1.6} />
      </ActionIcon>
      <Link to="/dashboard" className="top-bar-logo" aria-label="Bursar, go to Home">
        <Logo />
      </Link>
      <MaintenanceMark />
      <SignedIn />
    </header>
  );
}

const roleLabel = { Admin: 'Admin', SuperAdmin: 'Super Admin' } as const;

function SignedIn() {
  const { username, role, permissionSet } = useMe();
  const standing = permissionSet ? `${roleLabel[role]}, ${permissionSet}` : roleLabel[role];
  return (
    <Link to="/dashboard/security" className="signed-in">
      <VisuallyHidden>Signed in as</VisuallyHidden>
      <span className="signed-in-names">
        <span className="signed-in-name">{username}</span> <span className="signed-in-role">{standing}</span>
      </span>
      <span className="signed-in-initial" aria-hidden>
        {username.slice(0, 1).toUpperCase()}
      </span>
    </Link>
  );
}
