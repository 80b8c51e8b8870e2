import { NewPassword, Username } from 'contract/auth.ts';
import type { Role } from 'contract/core/permissions.ts';
import { preparePassword } from '#server/core/auth/service.ts';
import type { Database } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { hasAnyAdmin } from './queries.ts';
import { createAdmin } from './service.ts';

export type FirstAdmin = { username: string; password: string; role?: Role };

/** For the command and for the first start: there is nobody yet who could do it in the panel. */
export async function addAdminFromOutside(database: Database, { username, password, role = 'SuperAdmin' }: FirstAdmin) {
  if (!Username.safeParse(username).success)
    throw new Error('A username has 3 to 32 letters, digits, dots, dashes or underscores.');
  if (!NewPassword.safeParse(password).success) throw new Error('A password has 12 to 128 characters.');
  const setPassword = await preparePassword({ password, username, temporary: true });
  return database.transaction().execute((tx) => createAdmin(tx, { actorId: null, username, role, setPassword }));
}

export async function ensureFirstAdmin(database: Database, first: FirstAdmin | undefined) {
  if (!first || (await hasAnyAdmin(database))) return;
  await addAdminFromOutside(database, first).catch((error: unknown) => {
    // Another process of the same first start was quicker.
    if (!(error instanceof Refusal && error.code === 'UsernameTaken')) throw error;
  });
}
