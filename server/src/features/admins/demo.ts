import { insertAuthority } from '#server/core/approvals/queries.ts';
import { preparePassword } from '#server/core/auth/service.ts';
import type { Database } from '#server/core/db/db.ts';
import { hasAnyAdmin } from './queries.ts';

/** The demo sign-in. It is created only in an empty database, so no existing installation gets this password. */
export const demoSignIn = { username: 'admin', password: 'welcome-to-bursar' } as const;

const demoAdmins = [
  { username: demoSignIn.username, role: 'SuperAdmin', permissionSet: null, createdAt: '2026-01-12T09:00:00Z' },
  { username: 'ines.moreau', role: 'SuperAdmin', permissionSet: null, createdAt: '2026-01-12T09:20:00Z' },
  { username: 'tomasz.lind', role: 'Admin', permissionSet: null, createdAt: '2026-02-03T14:05:00Z' },
  { username: 'amara.osei', role: 'Admin', permissionSet: 'Support', createdAt: '2026-03-17T08:30:00Z' },
  { username: 'kenji.sato', role: 'Admin', permissionSet: 'Finance', createdAt: '2026-05-29T11:45:00Z' },
  { username: 'lucia.brandt', role: 'Admin', permissionSet: 'Auditor', createdAt: '2026-09-08T16:10:00Z' },
] as const;

/** Creates the demo administrators. Creates nothing and returns undefined if there is already an administrator. */
export async function seedDemoAdmins(database: Database) {
  if (await hasAnyAdmin(database)) return undefined;
  const { username, password } = demoSignIn;
  const setPassword = await preparePassword({ password, username: '', temporary: false });
  await database.transaction().execute(async (tx) => {
    for (const demo of demoAdmins) {
      const { id } = await tx.insertInto('admin').values(demo).returning('id').executeTakeFirstOrThrow();
      await setPassword(tx, id);
      await insertAuthority(tx, { adminId: id, cause: 'created', givenBy: null });
    }
  });
  return { username, password };
}
