import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { adminsSearch } from './features/admins/search.ts';
import { approvalsSearch } from './features/approvals/search.ts';
import { auditSearch } from './features/audit/search.ts';
import { integrationsSearch } from './features/integrations/search.ts';
import { rankPromotionSearch } from './features/jobs/search.ts';
import { ledgerSearch } from './features/ledger/search.ts';
import { reportsSearch } from './features/reports/search.ts';
import { calendarSearch, runSearch, runsSearch } from './features/runs/search.ts';
import { requireAnySession, requireSession, skipWhenSignedIn } from './shell/guard.ts';
import { LoginRoute } from './shell/login-route.tsx';
import { EmptyRoute, NotFound, RouteError, PublicNotFound, PublicRouteError, Waiting } from './shell/route-states.tsx';
import { parseReturnTo } from './shell/return-to.ts';
import { stakingSearch } from './features/staking/search.ts';
import { tasksSearch } from './features/tasks/search.ts';
import { ticketsSearch } from './features/tickets/search.ts';
import { profileSearch, usersSearch } from './features/users/search.ts';
import { withdrawalsSearch } from './features/withdrawals/search.ts';

const root = createRootRoute({ notFoundComponent: PublicNotFound, errorComponent: PublicRouteError });

const front = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: parseReturnTo,
  beforeLoad: skipWhenSignedIn,
  component: LoginRoute,
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: parseReturnTo,
  beforeLoad: skipWhenSignedIn,
  component: LoginRoute,
});

const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/new-password',
  validateSearch: parseReturnTo,
  beforeLoad: requireAnySession,
  pendingComponent: EmptyRoute,
  errorComponent: PublicRouteError,
  component: lazyRouteComponent(() => import('./shell/new-password.tsx'), 'NewPasswordPage'),
});

const dashboard = createRoute({
  getParentRoute: () => root,
  path: '/dashboard',
  beforeLoad: requireSession,
  // Nothing of the dashboard is shown before the guard has a response from the server.
  pendingComponent: EmptyRoute,
  errorComponent: PublicRouteError,
  notFoundComponent: NotFound,
  component: lazyRouteComponent(() => import('./shell/layout.tsx'), 'Layout'),
});

const home = createRoute({
  getParentRoute: () => dashboard,
  path: '/',
  component: lazyRouteComponent(() => import('./features/reports/home.tsx'), 'HomePage'),
});

const tickets = createRoute({
  getParentRoute: () => dashboard,
  path: '/tickets',
  validateSearch: ticketsSearch,
  component: lazyRouteComponent(() => import('./features/tickets/page.tsx'), 'TicketsPage'),
});

const withdrawals = createRoute({
  getParentRoute: () => dashboard,
  path: '/manage-withdraw',
  validateSearch: withdrawalsSearch,
  component: lazyRouteComponent(() => import('./features/withdrawals/page.tsx'), 'WithdrawalsPage'),
});

const staking = createRoute({
  getParentRoute: () => dashboard,
  path: '/manage-staking',
  validateSearch: stakingSearch,
  component: lazyRouteComponent(() => import('./features/staking/page.tsx'), 'StakingPage'),
});

const tasks = createRoute({
  getParentRoute: () => dashboard,
  path: '/manage-task',
  validateSearch: tasksSearch,
  component: lazyRouteComponent(() => import('./features/tasks/page.tsx'), 'TasksPage'),
});

const admins = createRoute({
  getParentRoute: () => dashboard,
  path: '/admin',
  validateSearch: adminsSearch,
  component: lazyRouteComponent(() => import('./features/admins/page.tsx'), 'AdminsPage'),
});

const adminProfile = createRoute({
  getParentRoute: () => dashboard,
  path: '/admin-profile/$id',
  component: lazyRouteComponent(() => import('./features/admins/profile.tsx'), 'AdminProfilePage'),
});

const users = createRoute({
  getParentRoute: () => dashboard,
  path: '/users',
  validateSearch: usersSearch,
  component: lazyRouteComponent(() => import('./features/users/page.tsx'), 'UsersPage'),
});

const userProfile = createRoute({
  getParentRoute: () => dashboard,
  path: '/user-profile/$id',
  validateSearch: profileSearch,
  component: lazyRouteComponent(() => import('./features/users/profile.tsx'), 'UserProfilePage'),
});

const maintenance = createRoute({
  getParentRoute: () => dashboard,
  path: '/maintenance',
  component: lazyRouteComponent(() => import('./features/maintenance/page.tsx'), 'MaintenancePage'),
});

const settings = createRoute({
  getParentRoute: () => dashboard,
  path: '/settings',
  component: lazyRouteComponent(() => import('./features/settings/page.tsx'), 'SettingsPage'),
});

const stakePayout = createRoute({
  getParentRoute: () => dashboard,
  path: '/settings/cronjobs/stake-payout',
  component: lazyRouteComponent(() => import('./features/jobs/stake-payout.tsx'), 'StakePayoutPage'),
});

const gmpDistribution = createRoute({
  getParentRoute: () => dashboard,
  path: '/settings/cronjobs/gmp-distro',
  component: lazyRouteComponent(() => import('./features/jobs/gmp-distribution.tsx'), 'GmpDistributionPage'),
});

const referralCheck = createRoute({
  getParentRoute: () => dashboard,
  path: '/settings/cronjobs/referral-check',
  component: lazyRouteComponent(() => import('./features/jobs/referral-check.tsx'), 'ReferralCheckPage'),
});

const rankPromotion = createRoute({
  getParentRoute: () => dashboard,
  path: '/settings/cronjobs/rank-promo',
  validateSearch: rankPromotionSearch,
  component: lazyRouteComponent(() => import('./features/jobs/rank-promotion.tsx'), 'RankPromotionPage'),
});

const rankBonus = createRoute({
  getParentRoute: () => dashboard,
  path: '/settings/cronjobs/rank-bonus',
  component: lazyRouteComponent(() => import('./features/jobs/rank-bonus.tsx'), 'RankBonusPage'),
});

const reports = createRoute({
  getParentRoute: () => dashboard,
  path: '/reports',
  validateSearch: reportsSearch,
  component: lazyRouteComponent(() => import('./features/reports/page.tsx'), 'ReportsPage'),
});

const approvals = createRoute({
  getParentRoute: () => dashboard,
  path: '/approvals',
  validateSearch: approvalsSearch,
  component: lazyRouteComponent(() => import('./features/approvals/page.tsx'), 'ApprovalsPage'),
});

const runs = createRoute({
  getParentRoute: () => dashboard,
  path: '/runs',
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import('./features/runs/page.tsx'), 'RunsPage'),
});

const runCalendar = createRoute({
  getParentRoute: () => dashboard,
  path: '/runs/calendar',
  validateSearch: calendarSearch,
  component: lazyRouteComponent(() => import('./features/runs/calendar.tsx'), 'CalendarPage'),
});

const run = createRoute({
  getParentRoute: () => dashboard,
  path: '/runs/$id',
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import('./features/runs/run-page.tsx'), 'RunPage'),
});

const ledger = createRoute({
  getParentRoute: () => dashboard,
  path: '/ledger',
  validateSearch: ledgerSearch,
  component: lazyRouteComponent(() => import('./features/ledger/page.tsx'), 'LedgerPage'),
});

const audit = createRoute({
  getParentRoute: () => dashboard,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./features/audit/page.tsx'), 'AuditPage'),
});

const integrations = createRoute({
  getParentRoute: () => dashboard,
  path: '/integrations',
  validateSearch: integrationsSearch,
  component: lazyRouteComponent(() => import('./features/integrations/page.tsx'), 'IntegrationsPage'),
});

const security = createRoute({
  getParentRoute: () => dashboard,
  path: '/security',
  component: lazyRouteComponent(() => import('./features/security/page.tsx'), 'SecurityPage'),
});

/** The components side by side, for developers; not part of the production build. */
const gallery = createRoute({
  getParentRoute: () => root,
  path: '/ui',
  component: import.meta.env.DEV ? lazyRouteComponent(() => import('./ui/gallery.tsx'), 'Gallery') : PublicNotFound,
});

const routeTree = root.addChildren([
  front,
  login,
  newPassword,
  dashboard.addChildren([
    tickets,
    withdrawals,
    staking,
    tasks,
    admins,
    adminProfile,
    users,
    userProfile,
    home,
    maintenance,
    settings,
    stakePayout,
    gmpDistribution,
    referralCheck,
    rankPromotion,
    rankBonus,
    reports,
    approvals,
    runs,
    runCalendar,
    run,
    ledger,
    audit,
    integrations,
    security,
  ]),
  gallery,
]);

/** A router has one history and one state, so every start of the panel creates its own. */
export const createAppRouter = () =>
  createRouter({
    routeTree,
    defaultPendingMs: 150,
    defaultPendingMinMs: 0,
    defaultPendingComponent: Waiting,
    defaultErrorComponent: RouteError,
    defaultNotFoundComponent: NotFound,
    defaultPreload: 'intent',
    // The query cache decides what is fresh.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
  });

export type AppRouter = ReturnType<typeof createAppRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter;
  }
}
