import { z } from 'zod';

/** What an API key may do. An endpoint of the platform names one, and only keys can call it. */
export type Scope = z.output<typeof Scope>;
export const Scope = z.enum([
  'users:write',
  'deposits:write',
  'stakes:write',
  'withdrawals:write',
  'settlement:write',
  'tickets:write',
  'tasks:write',
  'activity:write',
  'events:read',
]);

/** The scopes that move money or decide whether it has arrived. A key with one of them needs a second approver. */
export const moneyScopes = [
  'deposits:write',
  'stakes:write',
  'withdrawals:write',
  'settlement:write',
] as const satisfies Scope[];

export const movesMoney = (scopes: readonly Scope[]) => moneyScopes.some((scope) => scopes.includes(scope));

export const isScope = (access: string): access is Scope => Scope.safeParse(access).success;
