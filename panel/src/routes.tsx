import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { adminsSearch } from './admins/search.ts';
import { requireAnySession, requireSession, skipWhenSignedIn } from './shell/guard.ts';
import { LoginRoute } from './shell/login-route.tsx';
import { Blank, NotFound, Oops, OutsideNotFound, OutsideOops, Waiting } from './shell/outcomes.tsx';
import { wantedSearch } from './shell/wanted.ts';
import { ticketsSearch } from './tickets/search.ts';

const root = createRootRoute({ notFoundComponent: OutsideNotFound, errorComponent: OutsideOops });

const front = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: wantedSearch,
  beforeLoad: skipWhenSignedIn,
  component: LoginRoute,
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: wantedSearch,
  beforeLoad: skipWhenSignedIn,
  component: LoginRoute,
});

const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/new-password',
  validateSearch: wantedSearch,
  beforeLoad: requireAnySession,
  pendingComponent: Blank,
  errorComponent: OutsideOops,
  component: lazyRouteComponent(() => import('./shell/new-password.tsx'), 'NewPasswordPage'),
});

const dashboard = createRoute({
  getParentRoute: () => root,
  path: '/dashboard',
  beforeLoad: requireSession,
  // The guard is asking the server: nothing of the dashboard shows before it has the answer.
  pendingComponent: Blank,
  errorComponent: OutsideOops,
  notFoundComponent: NotFound,
  component: lazyRouteComponent(() => import('./shell/layout.tsx'), 'Layout'),
});

const tickets = createRoute({
  getParentRoute: () => dashboard,
  path: '/tickets',
  validateSearch: ticketsSearch,
  component: lazyRouteComponent(() => import('./tickets/page.tsx'), 'TicketsPage'),
});

const admins = createRoute({
  getParentRoute: () => dashboard,
  path: '/admin',
  validateSearch: adminsSearch,
  component: lazyRouteComponent(() => import('./admins/page.tsx'), 'AdminsPage'),
});

const adminProfile = createRoute({
  getParentRoute: () => dashboard,
  path: '/admin-profile/$id',
  component: lazyRouteComponent(() => import('./admins/profile.tsx'), 'AdminProfilePage'),
});

const NotBuiltPage = lazyRouteComponent(() => import('./shell/not-built.tsx'), 'NotBuiltPage');

const notBuilt = <const Path extends string>(path: Path, title: string) =>
  createRoute({ getParentRoute: () => dashboard, path, staticData: { title }, component: NotBuiltPage });

/** The pieces side by side, for whoever works on them; no part of the built product. */
const gallery = createRoute({
  getParentRoute: () => root,
  path: '/ui',
  component: import.meta.env.DEV ? lazyRouteComponent(() => import('./ui/gallery.tsx'), 'Gallery') : OutsideNotFound,
});

const routeTree = root.addChildren([
  front,
  login,
  newPassword,
  dashboard.addChildren([
    tickets,
    admins,
    adminProfile,
    notBuilt('/', 'Analytics'),
    notBuilt('/users', 'User Management'),
    notBuilt('/user-profile/$id', 'User Profile'),
    notBuilt('/manage-withdraw', 'Withdrawal Management'),
    notBuilt('/manage-staking', 'Staking Management'),
    notBuilt('/manage-task', 'Task Management'),
    notBuilt('/reports', 'Reports'),
    notBuilt('/maintenance', 'Maintenance'),
    notBuilt('/settings', 'Settings'),
    notBuilt('/settings/cronjobs/stake-payout', 'Stake Payout Settings'),
    notBuilt('/settings/cronjobs/gmp-distro', 'GMP Distribution'),
    notBuilt('/settings/cronjobs/referral-check', 'Referral Check'),
    notBuilt('/settings/cronjobs/rank-promo', 'Rank Promotion'),
    notBuilt('/settings/cronjobs/rank-bonus', 'Rank Bonus'),
    notBuilt('/approvals', 'Approvals'),
    notBuilt('/runs', 'Runs'),
    notBuilt('/runs/$id', 'Run'),
    notBuilt('/ledger', 'Ledger'),
    notBuilt('/audit', 'Audit Log'),
    notBuilt('/integrations', 'Integrations'),
    notBuilt('/security', 'Security'),
  ]),
  gallery,
]);

export const router = createRouter({
  routeTree,
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  defaultPendingComponent: Waiting,
  defaultErrorComponent: Oops,
  defaultNotFoundComponent: NotFound,
  defaultPreload: 'intent',
  // The query cache decides what is fresh.
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    title?: string;
  }
}
