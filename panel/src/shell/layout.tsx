import '#panel/ui/mantine-dashboard.ts';
import '@fontsource-variable/jetbrains-mono/wght.css';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Toasts } from '#panel/ui/toasts.tsx';
import { useFocusOnNavigation } from './focus.ts';
import { followChanges } from './live.ts';
import { useSavedTheme } from './saved-theme.ts';
import { Sidebar } from './sidebar.tsx';
import { useCollapsed } from './sidebar-state.ts';
import { StepUpDialog } from './step-up-dialog.tsx';
import { TopBar } from './top-bar.tsx';
import './layout.css';

/** Loaded on demand, because only narrow screens open it. */
const loadMobileMenu = () => import('./mobile-menu.tsx');
const MobileMenu = lazy(async () => ({ default: (await loadMobileMenu()).MobileMenu }));

/** The frame of every /dashboard screen. */
export function Layout() {
  const [collapsed, setCollapsed] = useCollapsed();
  const [menu, setMenu] = useState<'never opened' | 'opened' | 'closed'>('never opened');
  const queryClient = useQueryClient();
  useEffect(() => followChanges(queryClient), [queryClient]);
  useSavedTheme();
  const main = useFocusOnNavigation();

  return (
    <div className="layout" data-collapsed={collapsed || undefined}>
      <a className="layout-skip" href="#main">
        Skip to content
      </a>
      <TopBar collapsed={collapsed} onCollapse={setCollapsed} onOpenMenu={() => setMenu('opened')} />
      <div className="layout-sidebar">
        <Sidebar collapsed={collapsed} onExpand={() => setCollapsed(false)} />
      </div>
      <main id="main" className="layout-main" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
      {menu !== 'never opened' && (
        <Suspense>
          <MobileMenu opened={menu === 'opened'} onClose={() => setMenu('closed')} />
        </Suspense>
      )}
      <StepUpDialog />
      <Toasts />
    </div>
  );
}
