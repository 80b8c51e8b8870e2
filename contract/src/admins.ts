import { z } from 'zod';
import { Waiting } from './approvals.ts';
import { NewPassword, Username } from './auth.ts';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { PermissionSet, Role } from './core/permissions.ts';

export type Admin = z.output<typeof Admin>;
export const Admin = z.object({
  id: z.uuid(),
  username: z.string(),
  role: Role,
  createdAt: Timestamp,
  permissionSet: PermissionSet.nullable(),
  /** Sent back with a change, so that it cannot overwrite a change that its author has not seen. */
  version: z.int(),
});

/**
 * `waiting` is a change that needs a second approver: granting or removing the role of SuperAdmin, deleting an
 * administrator who may approve, or recovering one who is locked out. Until it is approved, the administrator stays as they are.
 */
const changed = z.object({ admin: Admin, waiting: Waiting.nullable() });

const AdminNotFound = 'This administrator no longer exists.';
const UsernameTaken = 'That username is already taken.';
const AdminId = z.strictObject({ id: z.uuid() });

export const listAdmins = endpoint({
  feature: 'admins',
  method: 'GET',
  url: '/api/admin/all',
  access: 'platform.read',
  summary: 'List administrators, oldest first',
  answer: z.object({ admins: z.array(Admin) }),
  refusals: {},
});

export const readAdmin = endpoint({
  feature: 'admins',
  method: 'GET',
  url: '/api/admin/:id',
  access: 'platform.read',
  summary: 'Read one administrator',
  params: AdminId,
  answer: changed,
  refusals: { 404: { AdminNotFound } },
});

export const createAdmin = endpoint({
  feature: 'admins',
  stepUp: true,
  method: 'POST',
  url: '/api/admin/signup',
  access: 'admins.write',
  summary: 'Add an administrator with a temporary password',
  body: z.strictObject({ username: Username, password: NewPassword, confirmPassword: z.string(), role: Role }),
  answer: changed,
  refusals: {
    409: { UsernameTaken },
    422: {
      PasswordsDiffer: "Passwords don't match",
      PasswordTooCommon: 'This password is too easy to guess. Choose another.',
    },
  },
});

export const deleteAdmin = endpoint({
  feature: 'admins',
  stepUp: true,
  method: 'POST',
  url: '/api/admin/delete',
  access: 'admins.write',
  summary: 'Retire an administrator and end their sessions, or request it if they may approve',
  body: z.strictObject({ username: z.string().min(1).max(64) }),
  answer: changed,
  refusals: {
    404: { AdminNotFound },
    409: {
      SuperAdminUndeletable: 'A SuperAdmin cannot be deleted.',
      RemovalWaits: 'The deletion of this administrator is already waiting for a second approver.',
    },
  },
});

export const updateAdmin = endpoint({
  feature: 'admins',
  stepUp: true,
  method: 'PATCH',
  url: '/api/admin/:id',
  access: 'admins.write',
  summary: 'Change an administrator: username, role, permission set',
  params: AdminId,
  body: z.strictObject({
    version: z.int(),
    newUsername: Username.optional(),
    role: Role.optional(),
    permissionSet: PermissionSet.nullable().optional(),
  }),
  answer: changed,
  refusals: {
    404: { AdminNotFound },
    409: {
      UsernameTaken,
      AdminConflict: 'Someone else has just changed this administrator. Check the new values and save again.',
      GrantWaits: 'This promotion to Super Admin is already waiting for a second approver.',
      DemotionWaits: 'A change of this administrator is already waiting for a second approver.',
      LastSuperAdmin: 'The last Super Admin can’t give up the role.',
    },
  },
});

/** Returns why the administrator cannot be deleted. The server refuses with it; the panel hides its Delete button. */
export function refuseDeletion({ role }: Pick<Admin, 'role'>) {
  return role === 'SuperAdmin' ? 'SuperAdminUndeletable' : undefined;
}
