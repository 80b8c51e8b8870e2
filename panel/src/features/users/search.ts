import { Search } from 'contract/core/paging.ts';
import type { UserSort } from 'contract/users.ts';
import { z } from 'zod';
import { inAddress, oneOf, viewSearch } from '#panel/ui/table/view.ts';

export type UsersSearch = z.output<typeof usersSearch>;
export const usersSearch = z.object({
  ...viewSearch,
  search: inAddress(Search),
  sort: oneOf<UserSort>({
    '-createdAt': true,
    createdAt: true,
    userId: true,
    '-userId': true,
    username: true,
    '-username': true,
    role: true,
    '-role': true,
  }),
  blacklisted: inAddress(z.literal('yes')),
});

/** The tabs below the fields of a profile. */
export type ProfileTab = z.output<typeof ProfileTab>;
export const ProfileTab = z.enum([
  'stakes',
  'team',
  'withdrawals',
  'payments',
  'ledger',
  'tasks',
  'tickets',
  'ranks',
  'audit',
]);

export const profileSearch = z.object({
  tab: inAddress(ProfileTab),
  /** The page of the table in the tab. */
  cursor: viewSearch.cursor,
});
