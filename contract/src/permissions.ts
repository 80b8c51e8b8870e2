import { z } from 'zod';

export type Role = z.output<typeof Role>;
export const Role = z.enum(['Admin', 'SuperAdmin']);

/** Narrows an Admin to one line of work; a SuperAdmin is never narrowed. */
export type PermissionSet = z.output<typeof PermissionSet>;
export const PermissionSet = z.enum(['Support', 'Finance', 'Auditor']);

export type Permission = z.output<typeof Permission>;
export const Permission = z.enum(['tickets.read', 'tickets.write', 'admins.read', 'admins.write']);

const everyoneReads: readonly Permission[] = ['tickets.read', 'admins.read'];

const grants: Record<Role | PermissionSet, ReadonlySet<Permission>> = {
  SuperAdmin: new Set(Permission.options),
  Admin: new Set([...everyoneReads, 'tickets.write']),
  Support: new Set([...everyoneReads, 'tickets.write']),
  Finance: new Set(everyoneReads),
  Auditor: new Set(everyoneReads),
};

export type Holder = { role: Role; permissionSet: PermissionSet | null };

/** The panel hides and greys out with the same function by which the server refuses. */
export function holds({ role, permissionSet }: Holder, permission: Permission) {
  return grants[role === 'Admin' && permissionSet ? permissionSet : role].has(permission);
}
