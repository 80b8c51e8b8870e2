import { type Admin, refuseDeletion } from 'contract/admins.ts';
import type { PermissionSet, Role } from 'contract/core/permissions.ts';
import { requestApproval, type Effect, waitingFor, withdrawRequest } from '#server/core/approvals/approvals.ts';
import type { Payload } from '#server/core/approvals/payload.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import { endSessions } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { brokenConstraint } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
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
  return { admin, waiting: await waitingFor(db, { kind: 'grant', subjectId: id }) };
}

type Creation = {
  /** Null for an administrator created from the command line or at the first start. */
  actorId: string | null;
  username: string;
  role: Role;
  setPassword: (tx: Tx, adminId: string) => Promise<unknown>;
};

/**
 * Creates an administrator. A SuperAdmin created by an actor starts as an Admin, and the role needs a second approver.
 * Refuses a taken username.
 */
export async function createAdmin(tx: Tx, { actorId, username, role, setPassword }: Creation) {
  const needsGrant = actorId !== null && role === 'SuperAdmin';
  const admin = await insertAdmin(tx, { username, role: needsGrant ? 'Admin' : role });
  if (!admin) throw new Refusal('UsernameTaken');
  await setPassword(tx, admin.id);
  await announce(tx, { feature: 'admins', id: admin.id });
  await recordAudit(tx, { actorId, action: 'admins.create', subjectId: admin.id, details: { after: shown(admin) } });
  if (needsGrant) await requestGrant(tx, { actorId, admin });
  return readAdmin(tx, admin.id);
}

/** Deletes an administrator and ends their sessions. Refuses a SuperAdmin, as the database also does. */
export async function deleteAdmin(tx: Tx, { actorId, username }: { actorId: string; username: string }) {
  const found = await lockAdminByName(tx, username);
  if (!found) throw new Refusal('AdminNotFound');
  const refusal = refuseDeletion(found);
  if (refusal) throw new Refusal(refusal);

  const admin = await retireAdmin(tx, found.id);
  await withdrawRequest(tx, { kind: 'grant', subjectId: admin.id });
  await endSessions(tx, admin.id);
  await announce(tx, { feature: 'admins', id: admin.id });
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
  if (before.version !== version) throw new Refusal('AdminConflict');

  const username = newUsername ?? before.username;
  if (before.role === 'Admin' && rights.role === 'SuperAdmin') {
    // The permission set that was sent with the role is ignored: rights change only after the approval.
    if (newUsername !== undefined) await update(tx, { actorId, before, after: { ...shown(before), username } });
    await requestGrant(tx, { actorId, admin: { ...before, username } });
  } else {
    const role = rights.role ?? before.role;
    const requested = rights.permissionSet === undefined ? before.permissionSet : rights.permissionSet;
    const permissionSet = role === 'SuperAdmin' ? null : requested;
    await update(tx, { actorId, before, after: { username, role, permissionSet } });
    if (role !== before.role || permissionSet !== before.permissionSet) await endSessions(tx, id);
  }
  return readAdmin(tx, id);
}

type Update = { actorId: string; before: Admin; after: ReturnType<typeof shown> };

async function update(tx: Tx, { actorId, before, after }: Update) {
  const { id } = before;
  const admin = await updateAdmin(tx, id, after).catch((error: unknown) => {
    throw brokenConstraint(error) === 'admin_username_key' ? new Refusal('UsernameTaken') : error;
  });
  await announce(tx, { feature: 'admins', id });
  const details = { before: shown(before), after: shown(admin) };
  await recordAudit(tx, { actorId, action: 'admins.change', subjectId: id, details });
}

async function requestGrant(tx: Tx, { actorId, admin }: { actorId: string; admin: Admin }) {
  const request = { kind: 'grant', subjectId: admin.id, payload: payloadOf(admin), requestedBy: actorId } as const;
  await requestApproval(tx, request).catch((error: unknown) => {
    throw brokenConstraint(error) === 'approval_waiting' ? new Refusal('GrantWaits') : error;
  });
  const details = { before: shown(admin), after: { role: 'SuperAdmin' } };
  await recordAudit(tx, { actorId, action: 'admins.ask', subjectId: admin.id, details });
}

/** The effect of an approved grant. Administrators cannot approve their own promotion. */
export const grantEffect: Effect = {
  async payloadOf(tx, id) {
    const admin = await lockAdmin(tx, id);
    return admin?.role === 'Admin' ? payloadOf(admin) : undefined;
  },
  async apply(tx, { subjectId, decidedBy }) {
    if (subjectId === decidedBy) throw new Refusal('OwnGrant');
    const before = await lockAdmin(tx, subjectId);
    if (!before) throw new Refusal('ApprovalVoid');
    await updateAdmin(tx, subjectId, { username: before.username, role: 'SuperAdmin', permissionSet: null });
    await endSessions(tx, subjectId);
    await announce(tx, { feature: 'admins', id: subjectId });
  },
};

const payloadOf = ({ username, permissionSet }: Admin): Payload => ({
  userUuid: null,
  facts: [
    { key: 'administrator', value: username },
    { key: 'permissionSet', value: permissionSet ?? 'Full' },
    { key: 'role', before: 'Admin', value: 'SuperAdmin' },
  ],
});

const shown = ({ username, role, permissionSet }: Admin) => ({ username, role, permissionSet });
