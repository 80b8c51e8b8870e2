import { Role } from 'contract/core/permissions.ts';
import { z } from 'zod';
import { inAddress, viewSearch } from '#panel/ui/table/view.ts';

const { search, columns, density } = viewSearch;

const AdminSort = z.enum(['username', '-username', 'role', '-role', 'createdAt', '-createdAt']);

export type AdminsSearch = z.output<typeof adminsSearch>;
/** There is no cursor, because the server returns the complete list. */
export const adminsSearch = z.object({
  search,
  columns,
  density,
  sort: inAddress(AdminSort),
  role: inAddress(Role),
});
