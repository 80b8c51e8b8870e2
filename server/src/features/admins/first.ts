import { NewPassword, Username } from 'contract/auth.ts';
import type { Role } from 'contract/core/permissions.ts';
import { preparePassword } from '#server/core/auth/service.ts';
import type { Database } from '#server/core/db/db.ts';
import { hasAnyAdmin } from './queries.ts';
import { createAdmin } from './service.ts';

export type FirstAdmin = { username: string; password: string; role?: Role };

/**
 * Creates an administrator from the command line or at the first start, when no one can use the panel yet. Throws if
 * the username or password is invalid, and refuses a taken username.
 */
export async function addAdminFromOutside(database: Database, { username, password, role = 'SuperAdmin' }: FirstAdmin) {
  if (!Username.safeParse(username).success)
    throw new Error('A username has 3 to 32 letters, digits, dots, dashes or underscores.');
  if (!NewPassword.safeParse(password).success) throw new Error('A password has 12 to 128 characters.');
  const setPassword = await preparePassword({ password, username, temporary: true });
  return database.transaction().execute((tx) => createAdmin(tx, { actorId: null, username, role, setPassword }));
}

export async function ensureFirstAdmin(database: Database, first: FirstAdmin | undefined) {
  if (!first || (await hasAnyAdmin(database))) return;
  await addAdminFromOutside(database, first).catch(async (error: unknown) => {
    // Another process that is starting at the same time has already created it, and the database allows only one.
    if (!(await hasAnyAdmin(database))) throw error;
  });
}
