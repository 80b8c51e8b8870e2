import { holds, Permission, PermissionSet, Role } from 'contract/core/permissions.ts';

type Rights = { role: Role; permissionSet: PermissionSet | null };

/** A value of the claim, and the role or permission set that it allows. */
export type RoleRule = { value: string; rights: Rights };

/** Parses "group=SuperAdmin" or "group=Finance". Returns undefined for anything else. */
export function parseRoleRule(text: string): RoleRule | undefined {
  const at = text.lastIndexOf('=');
  const [value, name] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  const role = Role.safeParse(name).data;
  const permissionSet = PermissionSet.safeParse(name).data;
  if (at < 1 || value === '' || (!role && !permissionSet)) return undefined;
  return { value, rights: { role: role ?? 'Admin', permissionSet: permissionSet ?? null } };
}

/**
 * Whether the claim allows everything that the account may do in Bursar. The provider can withhold access, and never
 * gives more than the account has: granting rights takes two administrators.
 */
export function allowsAccount(rules: readonly RoleRule[], claim: unknown, account: Rights) {
  const values = [claim].flat().filter((value) => typeof value === 'string');
  const allowed = rules.filter(({ value }) => values.includes(value)).map(({ rights }) => rights);
  const isAllowed = (permission: Permission) => allowed.some((rights) => holds(rights, permission));
  return allowed.length > 0 && Permission.options.every((it) => !holds(account, it) || isAllowed(it));
}
