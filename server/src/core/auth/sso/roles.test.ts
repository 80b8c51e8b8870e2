import { expect, test } from 'vitest';
import { allowsAccount, parseRoleRule } from './roles.ts';

const rules = ['owners=SuperAdmin', 'staff=Admin', 'a=b=Finance', 'help=Support'].flatMap(
  (text) => parseRoleRule(text) ?? [],
);
const superAdmin = { role: 'SuperAdmin', permissionSet: null } as const;
const admin = { role: 'Admin', permissionSet: null } as const;
const finance = { role: 'Admin', permissionSet: 'Finance' } as const;
const support = { role: 'Admin', permissionSet: 'Support' } as const;

test.each([
  ['owners', superAdmin, true],
  ['owners', finance, true],
  ['staff', superAdmin, false],
  ['staff', admin, true],
  ['staff', support, true],
  ['a=b', finance, true],
  ['a=b', admin, false],
  ['a=b', support, false],
  [['help', 'a=b'], support, true],
  [['help', 'a=b'], admin, false],
  [['others'], support, false],
  [[], support, false],
  [undefined, support, false],
  [{ owners: true }, support, false],
  ['OWNERS', superAdmin, false],
])('the claim %j for the account %j: %s', (claim, account, expected) => {
  expect(allowsAccount(rules, claim, account)).toBe(expected);
});

test.each(['', 'SuperAdmin', '=SuperAdmin', 'owners=', 'owners=superadmin', 'owners=Owner'])(
  '"%s" is not a rule',
  (text) => {
    expect(parseRoleRule(text)).toBeUndefined();
  },
);
