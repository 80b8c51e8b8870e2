import { PermissionSet, Role } from 'contract/core/permissions.ts';

const roleLabels: Record<Role, string> = { Admin: 'Admin', SuperAdmin: 'Super Admin' };

export const formatRole = (role: Role) => roleLabels[role];

export const roleChoices = Role.options.map((value) => ({ value, label: roleLabels[value] }));

/** The option for an Admin without a permission set (null), because select values are strings. */
export const fullSet = 'Full';

export const permissionSetChoices = [fullSet, ...PermissionSet.options];

export const usernameRule =
  'Use 3 to 32 letters, digits, dots, dashes or underscores, starting with a letter or digit.';
