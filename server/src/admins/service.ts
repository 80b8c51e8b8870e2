import { type Admin, refuseDeletion } from 'contract/admins.ts';
import type { PermissionSet, Role } from 'contract/permissions.ts';
import { recordAudit } from '#server/audit/audit.ts';
import { endSessions } from '#server/auth/sessions.ts';
import type { Db, Tx } from '#server/db/db.ts';
import { brokenConstraint } from '#server/db/db.ts';
import { announce } from '#server/events/events.ts';
import { Refusal } from '#server/http/refusal.ts';
import {
  insertAdmin,
  lockAdmin,
  lockAdminByName,
  retireAdmin,
  selectAdmin,
  selectAdmins,
  updateAdmin,
} from './queries.ts';

export async function listAdmins(db: Db) {
  return { admins: await selectAdmins(db) };
}

export async function readAdmin(db: Db, id: string) {
  const admin = await selectAdmin(db, id);
  if (!admin) throw new Refusal('AdminNotFound');
  return { admin };
}

type Creation = {
  /** Null when the system itself makes its first administrator. */
  actorId: string | null;
  username: string;
  role: Role;
  setPassword: (tx: Tx, adminId: string) => Promise<unknown>;
};

export async function createAdmin(tx: Tx, { actorId, username, role, setPassword }: Creation) {
  const admin = await insertAdmin(tx, { username, role });
  if (!admin) throw new Refusal('UsernameTaken');
  await setPassword(tx, admin.id);
  await announce(tx, { room: 'admins', id: admin.id });
  await recordAudit(tx, { actorId, action: 'admins.create', subjectId: admin.id, details: { after: shown(admin) } });
  return { admin };
}

/** A SuperAdmin is refused here in words, and by the table itself should this line ever be lost. */
export async function deleteAdmin(tx: Tx, { actorId, username }: { actorId: string; username: string }) {
  const found = await lockAdminByName(tx, username);
  if (!found) throw new Refusal('AdminNotFound');
  const refusal = refuseDeletion(found);
  if (refusal) throw new Refusal(refusal);

  const admin = await retireAdmin(tx, found.id);
  await endSessions(tx, admin.id);
  await announce(tx, { room: 'admins', id: admin.id });
  await recordAudit(tx, { actorId, action: 'admins.delete', subjectId: admin.id, details: { before: shown(found) } });
  return { admin };
}

type Change = {
  actorId: string;
  id: string;
  version: number;
  newUsername?: string | undefined;
  role?: Role | undefined;
  permissionSet?: PermissionSet | null | undefined;
};

export async function changeAdmin(tx: Tx, { actorId, id, version, newUsername, ...rights }: Change) {
  const before = await lockAdmin(tx, id);
  if (!before) throw new Refusal('AdminNotFound');
  if (before.version !== version) throw new Refusal('AdminChangedMeanwhile');

  const role = rights.role ?? before.role;
  const wanted = rights.permissionSet === undefined ? before.permissionSet : rights.permissionSet;
  const permissionSet = role === 'SuperAdmin' ? null : wanted;
  const username = newUsername ?? before.username;
  const admin = await updateAdmin(tx, id, { username, role, permissionSet }).catch((error: unknown) => {
    throw brokenConstraint(error) === 'admin_username_key' ? new Refusal('UsernameTaken') : error;
  });

  if (role !== before.role || permissionSet !== before.permissionSet) await endSessions(tx, id);
  await announce(tx, { room: 'admins', id });
  const details = { before: shown(before), after: shown(admin) };
  await recordAudit(tx, { actorId, action: 'admins.change', subjectId: id, details });
  return { admin };
}

const shown = ({ username, role, permissionSet }: Admin) => ({ username, role, permissionSet });
