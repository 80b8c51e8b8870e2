import type { ApprovalKind } from '../../contract/src/approvals.ts';
import type { PermissionSet, Permission, Role } from '../../contract/src/core/permissions.ts';

export const profiles = ['SuperAdmin', 'Admin', 'Support', 'Finance', 'Auditor'] as const;
export type Profile = (typeof profiles)[number];

export const rightsOf: Record<Profile, { role: Role; permissionSet?: PermissionSet }> = {
  SuperAdmin: { role: 'SuperAdmin' },
  Admin: { role: 'Admin' },
  Support: { role: 'Admin', permissionSet: 'Support' },
  Finance: { role: 'Admin', permissionSet: 'Finance' },
  Auditor: { role: 'Admin', permissionSet: 'Auditor' },
};

/**
 * The table of roles, written down from the requirements and not from the code that it checks. A permission or a kind
 * of request that is missing here does not compile.
 */
export const holders: Record<Permission, readonly Profile[]> = {
  'platform.read': profiles,
  'settings.own': profiles,
  'tickets.write': ['SuperAdmin', 'Admin', 'Support'],
  'users.write': ['SuperAdmin', 'Admin'],
  'tasks.write': ['SuperAdmin', 'Admin'],
  'money.prepare': ['SuperAdmin', 'Admin', 'Finance'],
  'money.approve': ['SuperAdmin', 'Admin', 'Finance'],
  'switches.write': ['SuperAdmin', 'Admin', 'Finance'],
  'jobs.write': ['SuperAdmin', 'Admin', 'Finance'],
  'reports.read': ['SuperAdmin', 'Admin', 'Finance', 'Auditor'],
  'audit.read': ['SuperAdmin', 'Auditor'],
  'admins.write': ['SuperAdmin'],
  'integrations.write': ['SuperAdmin'],
  'secrets.reveal': ['SuperAdmin'],
};

const moneyApprovers: readonly Profile[] = ['SuperAdmin', 'Admin', 'Finance'];
const superAdmins: readonly Profile[] = ['SuperAdmin'];

/** Who decides requests of a kind. Changes of authority are decided by SuperAdmins only. */
export const approversOf: Record<ApprovalKind, readonly Profile[]> = {
  withdrawal: moneyApprovers,
  adjustment: moneyApprovers,
  task: moneyApprovers,
  run: moneyApprovers,
  settings: moneyApprovers,
  repair: moneyApprovers,
  plan: moneyApprovers,
  promotion: moneyApprovers,
  account: moneyApprovers,
  limit: superAdmins,
  grant: superAdmins,
  demotion: superAdmins,
  removal: superAdmins,
  key: superAdmins,
  reveal: superAdmins,
  recovery: superAdmins,
};

/** Some calls that need a recent proof, written down from the requirements: a call that lost its mark is noticed. */
export const needRecentProof = [
  'createAdmin',
  'updateAdmin',
  'deleteAdmin',
  'requestRecovery',
  'completeRecovery',
  'decideApproval',
  'requestLimit',
  'saveStakePayout',
  'saveGmpDistribution',
  'saveReferralCheck',
  'saveRankThresholds',
  'saveRankBonus',
  'setMaintenance',
  'setWithdrawalSwitch',
  'startExport',
  'requestKeyReveal',
  'openKey',
];
