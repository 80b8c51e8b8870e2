import {
  IconActivity,
  IconBook2,
  IconChecklist,
  IconCoins,
  IconFileAnalytics,
  IconHistory,
  IconHome,
  IconPlugConnected,
  IconSettings,
  IconShieldCheck,
  IconShieldLock,
  IconTicket,
  IconTool,
  IconUserShield,
  IconUsers,
  IconWallet,
} from '@tabler/icons-react';
import type { LinkOptions } from '@tanstack/react-router';

export type Icon = typeof IconHome;

export type Destination = {
  label: string;
  to: NonNullable<LinkOptions['to']>;
  /** The path of detail pages that belong to this link although their path does not start with it. */
  alsoUnder?: string;
  exact?: true;
};

export type MainDestination = Destination & { icon: Icon };

export const mainLinks: readonly MainDestination[] = [
  { label: 'Home', to: '/dashboard', icon: IconHome, exact: true },
  { label: 'Users', to: '/dashboard/users', icon: IconUsers, alsoUnder: '/dashboard/user-profile' },
  { label: 'Ticketing', to: '/dashboard/tickets', icon: IconTicket },
  { label: 'Manage Withdrawals', to: '/dashboard/manage-withdraw', icon: IconWallet },
  { label: 'Manage Staking', to: '/dashboard/manage-staking', icon: IconCoins },
  { label: 'Task Management', to: '/dashboard/manage-task', icon: IconChecklist },
  { label: 'Reports', to: '/dashboard/reports', icon: IconFileAnalytics },
  { label: 'Maintenance', to: '/dashboard/maintenance', icon: IconTool },
  { label: 'Admin', to: '/dashboard/admin', icon: IconUserShield, alsoUnder: '/dashboard/admin-profile' },
];

export const settings = {
  label: 'Settings',
  icon: IconSettings,
  under: '/dashboard/settings',
  link: { label: 'Settings', to: '/dashboard/settings', exact: true },
  group: 'Cronjobs',
  jobs: [
    { label: 'Stake Payout Job', to: '/dashboard/settings/cronjobs/stake-payout' },
    { label: 'GMP Distro Job', to: '/dashboard/settings/cronjobs/gmp-distro' },
    { label: 'Referral Check Job', to: '/dashboard/settings/cronjobs/referral-check' },
    { label: 'Rank Promo', to: '/dashboard/settings/cronjobs/rank-promo' },
    { label: 'Rank Bonus', to: '/dashboard/settings/cronjobs/rank-bonus' },
  ],
} as const satisfies {
  label: string;
  icon: Icon;
  under: string;
  link: Destination;
  group: string;
  jobs: readonly Destination[];
};

/** Links that are not in the specification. */
export const oversightLinks: readonly MainDestination[] = [
  { label: 'Approvals', to: '/dashboard/approvals', icon: IconShieldCheck },
  { label: 'Runs', to: '/dashboard/runs', icon: IconActivity },
  { label: 'Ledger', to: '/dashboard/ledger', icon: IconBook2 },
  { label: 'Audit Log', to: '/dashboard/audit', icon: IconHistory },
  { label: 'Integrations', to: '/dashboard/integrations', icon: IconPlugConnected },
  { label: 'Security', to: '/dashboard/security', icon: IconShieldLock },
];

export function leadsHere({ to, exact, alsoUnder }: Destination, pathname: string) {
  const here = pathname.replace(/\/$/, '');
  if (exact) return here === to;
  return [to, alsoUnder].some((under) => under !== undefined && (here === under || here.startsWith(`${under}/`)));
}
