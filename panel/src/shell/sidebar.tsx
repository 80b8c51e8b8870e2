import { IconLogout, IconMoon, IconSun } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { useThemeToggle } from '#panel/ui/theme-toggle.ts';
import { formatMenuCount, type MenuCounts, useMenuCounts } from './menu-counts.ts';
import { leadsHere, type MainDestination, mainLinks, oversightLinks } from './navigation.ts';
import { leave } from './session.ts';
import { SettingsMenu } from './settings-menu.tsx';
import { ItemFace, RailHint } from './sidebar-item.tsx';
import './sidebar.css';

type SidebarProps = {
  collapsed?: boolean;
  onExpand?: () => void;
  /** Called when a link is chosen; closes the drawer on narrow screens. */
  onChoose?: () => void;
};

export function Sidebar({ collapsed = false, onExpand, onChoose }: SidebarProps) {
  const counts = useMenuCounts();
  const show = (link: MainDestination) => (
    <SidebarLink key={link.to} link={link} count={counts.get(link.to)} collapsed={collapsed} onChoose={onChoose} />
  );
  return (
    <div className="sidebar" data-collapsed={collapsed || undefined}>
      <nav className="sidebar-links" aria-label="Main">
        <ul className="sidebar-list">
          {mainLinks.map(show)}
          <SettingsMenu collapsed={collapsed} onExpand={onExpand} onChoose={onChoose} />
        </ul>
        <ul className="sidebar-list sidebar-second">{oversightLinks.map(show)}</ul>
      </nav>
      <Footer collapsed={collapsed} />
    </div>
  );
}

type SidebarLinkProps = {
  link: MainDestination;
  count: ReturnType<MenuCounts['get']>;
  collapsed: boolean;
  onChoose: (() => void) | undefined;
};

function SidebarLink({ link, count, collapsed, onChoose }: SidebarLinkProps) {
  const here = useRouterState({ select: ({ location }) => leadsHere(link, location.pathname) });
  return (
    <li className="sidebar-entry">
      <RailHint label={count ? `${link.label}: ${count.message}` : link.label} collapsed={collapsed}>
        <Link
          to={link.to}
          className="sidebar-item"
          activeOptions={{ exact: link.exact ?? false, includeSearch: false }}
          data-active={here || undefined}
          aria-description={count?.message}
          onClick={onChoose}
        >
          <ItemFace icon={link.icon} label={link.label} />
        </Link>
      </RailHint>
      {/* Outside the link, because the accessible name of the link is exactly the specified label. */}
      {count && (
        <span className="sidebar-count" aria-hidden>
          {formatMenuCount(count.count)}
        </span>
      )}
    </li>
  );
}

function Footer({ collapsed }: { collapsed: boolean }) {
  const { label, isDark, toggle } = useThemeToggle();
  return (
    <div className="sidebar-foot">
      <RailHint label={label} collapsed={collapsed}>
        <button type="button" className="sidebar-item" onClick={toggle}>
          <ItemFace icon={isDark ? IconSun : IconMoon} label={label} />
        </button>
      </RailHint>
      <RailHint label="Logout" collapsed={collapsed}>
        <button type="button" className="sidebar-item" onClick={() => void leave()}>
          <ItemFace icon={IconLogout} label="Logout" />
        </button>
      </RailHint>
    </div>
  );
}
