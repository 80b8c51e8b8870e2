import { z } from 'zod';

export type Role = z.output<typeof Role>;
export const Role = z.enum(['Admin', 'SuperAdmin']);

/** Restricts an Admin to one area of work. It has no effect on a SuperAdmin. */
export type PermissionSet = z.output<typeof PermissionSet>;
export const PermissionSet = z.enum(['Support', 'Finance', 'Auditor']);

export type Permission = z.output<typeof Permission>;
export const Permission = z.enum([
  'platform.read',
  'settings.own',
  'tickets.write',
  'users.write',
  'tasks.write',
  'money.prepare',
  'money.approve',
  'switches.write',
  'jobs.write',
  'reports.read',
  'audit.read',
  'admins.write',
  'integrations.write',
  'secrets.reveal',
]);

/** Reading the platform's users, money and tickets, and one's own settings. */
const everyone: readonly Permission[] = ['platform.read', 'settings.own'];

const grants: Record<Role | PermissionSet, ReadonlySet<Permission>> = {
  SuperAdmin: new Set(Permission.options),
  Admin: new Set([
    ...everyone,
    'tickets.write',
    'users.write',
    'tasks.write',
    'money.prepare',
    'money.approve',
    'switches.write',
    'jobs.write',
    'reports.read',
  ]),
  Support: new Set([...everyone, 'tickets.write']),
  Finance: new Set([...everyone, 'money.prepare', 'money.approve', 'switches.write', 'jobs.write', 'reports.read']),
  Auditor: new Set([...everyone, 'reports.read', 'audit.read']),
};

export type Holder = { role: Role; permissionSet: PermissionSet | null };

/** Whether the holder has the permission. The panel hides and disables with it, and the server refuses with it. */
export function holds({ role, permissionSet }: Holder, permission: Permission) {
  return grants[role === 'Admin' && permissionSet ? permissionSet : role].has(permission);
}
