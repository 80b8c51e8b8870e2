import { PermissionSet, Role } from 'contract/core/permissions.ts';

const roleLabels: Record<Role, string> = { Admin: 'Admin', SuperAdmin: 'Super Admin' };

export const formatRole = (role: Role) => roleLabels[role];

export const roleChoices = Role.options.map((value) => ({ value, label: roleLabels[value] }));

/** A select speaks text: an Admin whom nothing narrows has the full set. */
export const fullSet = 'Full';

export const permissionSetChoices = [fullSet, ...PermissionSet.options];

export const usernameRule =
  'Use 3 to 32 letters, digits, dots, dashes or underscores, starting with a letter or digit.';
