import { ActionIcon } from '@mantine/core';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand, IconMenu2 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Logo } from '#panel/ui/brand.tsx';
import { AccountButton } from './account-button.tsx';
import { MaintenanceMark } from './maintenance-mark.tsx';

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
      <AccountButton />
    </header>
  );
}
