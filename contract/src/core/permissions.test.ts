import { expect, test } from 'vitest';
import { type Holder, holds, Permission, PermissionSet, Role } from './permissions.ts';

const reads = ['platform.read', 'settings.own'] as const;
const money = ['money.prepare', 'money.approve', 'switches.write', 'jobs.write', 'reports.read'] as const;
const works = ['tickets.write', 'users.write', 'tasks.write', ...money] as const;

const table: [string, Holder, readonly Permission[]][] = [
  [
    'SuperAdmin',
    { role: 'SuperAdmin', permissionSet: null },
    [...reads, ...works, 'audit.read', 'admins.write', 'integrations.write', 'secrets.reveal'],
  ],
  ['Admin', { role: 'Admin', permissionSet: null }, [...reads, ...works]],
  ['Support', { role: 'Admin', permissionSet: 'Support' }, [...reads, 'tickets.write']],
  ['Finance', { role: 'Admin', permissionSet: 'Finance' }, [...reads, ...money]],
  ['Auditor', { role: 'Admin', permissionSet: 'Auditor' }, [...reads, 'reports.read', 'audit.read']],
];

test.each(table)('%s has exactly the permissions of its row', (_who, holder, granted) => {
  expect(Permission.options.filter((permission) => holds(holder, permission)).toSorted()).toEqual(
    [...granted].toSorted(),
  );
});

test('a SuperAdmin has all permissions, even with a permission set', () => {
  for (const permissionSet of PermissionSet.options) {
    expect(Permission.options.every((permission) => holds({ role: 'SuperAdmin', permissionSet }, permission))).toBe(
      true,
    );
  }
});

test('the stored roles are the two of the specification', () => {
  expect(Role.options).toEqual(['Admin', 'SuperAdmin']);
});
