import { IconChevronDown } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { type Destination, leadsHere, settings } from './navigation.ts';
import { ItemFace, RailHint } from './sidebar-item.tsx';

type SettingsMenuProps = {
  collapsed: boolean;
  onExpand: (() => void) | undefined;
  onChoose: (() => void) | undefined;
};

/** The Settings dropdown. It does not fit into the collapsed sidebar, so opening it expands the sidebar. */
export function SettingsMenu({ collapsed, onExpand, onChoose }: SettingsMenuProps) {
  const within = useRouterState({ select: ({ location }) => location.pathname.startsWith(settings.under) });
  const [opened, setOpened] = useState(within);
  const [wasWithin, setWasWithin] = useState(within);
  if (within !== wasWithin) {
    setWasWithin(within);
    setOpened(opened || within);
  }
  const shown = opened && !collapsed;
  const listId = useId();

  function toggle() {
    if (collapsed) onExpand?.();
    setOpened(collapsed || !opened);
  }

  return (
    <li>
      <RailHint label={settings.label} collapsed={collapsed}>
        <button
          type="button"
          className="sidebar-item"
          data-active={(within && !shown) || undefined}
          aria-expanded={shown}
          aria-controls={listId}
          onClick={toggle}
        >
          <ItemFace icon={settings.icon} label={settings.label} />
          <IconChevronDown className="sidebar-chevron" size={16} stroke={1.6} aria-hidden />
        </button>
      </RailHint>
      <ul id={listId} className="sidebar-list sidebar-under" hidden={!shown}>
        <SubLink link={settings.link} onChoose={onChoose} />
        <li>
          <div className="sidebar-group" id={`${listId}-jobs`}>
            {settings.group}
          </div>
          <ul className="sidebar-list" aria-labelledby={`${listId}-jobs`}>
            {settings.jobs.map((job) => (
              <SubLink key={job.to} link={job} onChoose={onChoose} />
            ))}
          </ul>
        </li>
      </ul>
    </li>
  );
}

function SubLink({ link, onChoose }: { link: Destination; onChoose: (() => void) | undefined }) {
  const here = useRouterState({ select: ({ location }) => leadsHere(link, location.pathname) });
  return (
    <li>
      <Link
        to={link.to}
        className="sidebar-item"
        activeOptions={{ exact: link.exact ?? false, includeSearch: false }}
        data-active={here || undefined}
        onClick={onChoose}
      >
        <span className="sidebar-label">{link.label}</span>
      </Link>
    </li>
  );
}
