import { Search } from 'contract/paging.ts';
import { UserSort } from 'contract/users.ts';
import { z } from 'zod';
import { inAddress, viewSearch } from '#panel/ui/table/view.ts';

export type UsersSearch = z.output<typeof usersSearch>;
export const usersSearch = z.object({
  ...viewSearch,
  search: inAddress(Search),
  sort: inAddress(UserSort),
  blacklisted: inAddress(z.literal('yes')),
});

/** What can be opened under the fields of a profile. */
export type ProfileTab = z.output<typeof ProfileTab>;
export const ProfileTab = z.enum(['stakes', 'team', 'withdrawals', 'ledger', 'tasks', 'tickets', 'ranks', 'audit']);

export const profileSearch = z.object({
  tab: inAddress(ProfileTab),
  /** The page of the table in that tab. */
  cursor: viewSearch.cursor,
});
