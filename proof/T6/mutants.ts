import type { Change } from '../processes/code.ts';

/** Each lets a caller do what the table denies. It is looked for as the callers of which it can be true. */
export const mutants: Record<string, { change: Change; callers: readonly string[] }> = {
  'one endpoint does not check its permission': {
    change: {
      file: 'server/src/core/http/authenticate.ts',
      from: '  if (!holds(actor, endpoint.access)) {',
      to: "  if (endpoint.url !== '/api/users/:id/delete' && !holds(actor, endpoint.access)) {",
    },
    callers: ['Finance'],
  },
  'one role has one permission more': {
    change: {
      file: 'contract/src/core/permissions.ts',
      from: "  Support: new Set([...everyone, 'tickets.write']),",
      to: "  Support: new Set([...everyone, 'tickets.write', 'reports.read']),",
    },
    callers: ['Support'],
  },
  'money moves without a second factor': {
    change: {
      file: 'server/src/core/http/authenticate.ts',
      from: 'if (movesMoney && factorRequired && actor.factor === null)',
      to: 'if (movesMoney && factorRequired && actor.factor === undefined)',
    },
    callers: ['SuperAdmin without factor'],
  },
  'an old session can do everything': {
    change: {
      file: 'server/src/core/http/authenticate.ts',
      from: 'actor.sessionAgeSeconds > stepUpMinutes * 60',
      to: 'actor.sessionAgeSeconds > stepUpMinutes * 6000',
    },
    callers: ['SuperAdmin since an hour'],
  },
  'a key can make every call of the platform': {
    change: {
      file: 'server/src/core/http/authenticate.ts',
      from: 'if (isScope(access) && !apiKey.scopes.includes(access)) {',
      to: 'if (isScope(access) && apiKey.scopes.length === 0) {',
    },
    callers: ['key with all other scopes'],
  },
};

/** Each is a statement that weakens one rule of the database. It is looked for between accounts of these relations. */
export const weakenedRules: Record<string, { statement: string; relations: readonly string[] }> = {
  'limits are approved by everybody who approves money': {
    statement: `update approval_permission set to_approve = 'money.approve' where kind = 'limit'`,
    relations: ['strangers'],
  },
  'the creator of an account approves its requests': {
    statement: `create or replace function stands_behind(giver uuid, account uuid) returns boolean
      language sql stable return false`,
    relations: ['the decider has just created the maker'],
  },
  'accounts need no confirmation': {
    statement: `
      create or replace function approves_from(admin_id uuid) returns timestamptz
      language sql stable return '-infinity'::timestamptz`,
    relations: ['the maker has just created the decider'],
  },
};
