import { type Admin, refuseDeletion } from 'contract/admins.ts';
import { holds, Permission, type PermissionSet, type Role } from 'contract/core/permissions.ts';
import { requestApproval, type Effect, waitingFor, withdrawRequest } from '#server/core/approvals/approvals.ts';
import { giveAuthority, voidRequestsOf } from '#server/core/approvals/authority.ts';
import type { Payload } from '#server/core/approvals/payload.ts';
import { insertAuthority, isApprover, lockAuthority } from '#server/core/approvals/queries.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import { endSessions } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { brokenConstraint } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import {
  deleteChange,
  insertAdmin,
  isLastSuperAdmin,
  lockAdmin,
  lockAdminByName,
  type RequestedChange,
  retireAdmin,
  selectAdmin,
  selectAdmins,
  selectChange,
  updateAdmin,
  upsertChange,
} from './queries.ts';

export async function listAdmins(db: Db) {
  return { admins: await selectAdmins(db) };
}

export async function readAdmin(db: Db, id: string) {
  const admin = await selectAdmin(db, id);
  if (!admin) throw new Refusal('AdminNotFound');
  return { admin, waiting: await waitingChange(db, id) };
}

/** Returns the change of this administrator that waits for a second approver. A grant comes before a removal. */
async function waitingChange(db: Db, subjectId: string) {
  for (const kind of ['grant', 'demotion', 'removal', 'recovery'] as const) {
    const waiting = await waitingFor(db, { kind, subjectId });
    if (waiting) return waiting;
  }
  return null;
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
  if (actorId === null) await insertAuthority(tx, { adminId: admin.id, cause: 'created', givenBy: null });
  else await giveAuthority(tx, { adminId: admin.id, username, cause: 'created', givenBy: { id: actorId } });
  if (needsGrant) await requestChange(tx, { kind: 'grant', actorId, admin });
  return readAdmin(tx, admin.id);
}

/**
 * Deletes an administrator, or requests it for one who may approve now. Refuses a SuperAdmin, as the database also does.
 */
export async function deleteAdmin(tx: Tx, { actorId, username }: { actorId: string; username: string }) {
  const found = await lockAdminByName(tx, username);
  if (!found) throw new Refusal('AdminNotFound');
  const refusal = refuseDeletion(found);
  if (refusal) throw new Refusal(refusal);
  if (await isApprover(tx, found.id)) {
    await requestChange(tx, { kind: 'removal', actorId, admin: found });
    return { admin: found, waiting: await waitingFor(tx, { kind: 'removal', subjectId: found.id }) };
  }
  const admin = await remove(tx, found);
  await recordAudit(tx, { actorId, action: 'admins.delete', subjectId: admin.id, details: { before: shown(found) } });
  return { admin, waiting: null };
}

async function remove(tx: Tx, { id }: Admin) {
  const admin = await retireAdmin(tx, id);
  for (const kind of ['grant', 'removal', 'account', 'recovery'] as const)
    await withdrawRequest(tx, { kind, subjectId: id });
  await voidRequestsOf(tx, id);
  await endSessions(tx, id);
  await announce(tx, { feature: 'admins', id });
  return admin;
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

  const isProtected = actorId !== id && (await isApprover(tx, id));
  const { role = before.role, permissionSet = before.permissionSet } = rights;
  const changing = { actorId, before, isProtected, username: newUsername ?? before.username };
  if (role === before.role) {
    await changeSameRole(tx, { ...changing, permissionSet: role === 'SuperAdmin' ? null : permissionSet });
  } else await requestRole(tx, { ...changing, role });
  return readAdmin(tx, id);
}

/** `isProtected` if only two SuperAdmins together may take the name or the right to approve. */
type Changing = { actorId: string; before: Admin; isProtected: boolean; username: string };

/**
 * Requests another role. The permission set that was sent with it is ignored: rights change only after the approval. So
 * is a new name of an approver.
 */
async function requestRole(tx: Tx, { actorId, before, isProtected, username, role }: Changing & { role: Role }) {
  const renames = username !== before.username && !isProtected;
  if (renames) await update(tx, { actorId, before, after: { ...shown(before), username } });
  const kind = role === 'SuperAdmin' ? 'grant' : 'demotion';
  if (kind === 'demotion' && (await isLastSuperAdmin(tx, before.id))) throw new Refusal('LastSuperAdmin');
  await requestChange(tx, { kind, actorId, admin: renames ? { ...before, username } : before });
}

type SameRole = Changing & { permissionSet: PermissionSet | null };

/** Changes name and permission set, or requests it if that takes them from an approver. */
async function changeSameRole(tx: Tx, { actorId, before, isProtected, username, permissionSet }: SameRole) {
  const { id, role } = before;
  const takes = username !== before.username || !holds({ role, permissionSet }, 'money.approve');
  if (isProtected && takes) {
    const holder = await lockAdminByName(tx, username);
    if (holder && holder.id !== id) throw new Refusal('UsernameTaken');
    await requestChange(tx, { kind: 'demotion', actorId, admin: before, change: { username, permissionSet } });
    return;
  }
  await update(tx, { actorId, before, after: { username, role, permissionSet } });
  if (permissionSet !== before.permissionSet) await changeRights(tx, { actorId, before, permissionSet });
}

type NewRights = { actorId: string; before: Admin; permissionSet: PermissionSet | null };

/** Ends the sessions, voids the requests that may no longer be made, and has a widened account confirmed. */
async function changeRights(tx: Tx, { actorId, before, permissionSet }: NewRights) {
  const { id: adminId, username, role } = before;
  await endSessions(tx, adminId);
  await voidRequestsOf(tx, adminId);
  const after = { role, permissionSet };
  const isWidened = Permission.options.some((permission) => holds(after, permission) && !holds(before, permission));
  if (isWidened && holds(after, 'money.approve')) {
    await giveAuthority(tx, { adminId, username, cause: 'widened', givenBy: { id: actorId } });
  }
}

type Update = { actorId: string; before: Admin; after: ReturnType<typeof shown> };

async function update(tx: Tx, { actorId, before, after }: Update) {
  const { id } = before;
  const admin = await updateAdmin(tx, id, after).catch((error: unknown) => {
    throw brokenConstraint(error) === 'admin_username_key' ? new Refusal('UsernameTaken') : error;
  });
  await announce(tx, { feature: 'admins', id });
  // The waiting request names the account, so another one is made for the new name.
  const isUnconfirmed =
    admin.username !== before.username && (await waitingFor(tx, { kind: 'account', subjectId: id }));
  const given = isUnconfirmed ? await lockAuthority(tx, id) : undefined;
  if (given) await giveAuthority(tx, { adminId: id, ...given, givenBy: { id: actorId } });
  const details = { before: shown(before), after: shown(admin) };
  await recordAudit(tx, { actorId, action: 'admins.change', subjectId: id, details });
}

type RoleChange = 'grant' | 'demotion' | 'removal';
const alreadyWaits = { grant: 'GrantWaits', demotion: 'DemotionWaits', removal: 'RemovalWaits' } as const;

type Requested = {
  kind: RoleChange;
  actorId: string;
  admin: Admin;
  /** What is taken from an approver who keeps the role. */
  change?: RequestedChange;
};

async function requestChange(tx: Tx, { kind, actorId, admin, change }: Requested) {
  // Before the request: a stored change decides what a demotion does.
  if (change) await upsertChange(tx, admin.id, change);
  else if (kind === 'demotion') await deleteChange(tx, admin.id);
  const payload = change ? changePayload(admin, change) : payloadOf(kind, admin);
  const request = { kind, subjectId: admin.id, payload, requestedBy: actorId };
  await requestApproval(tx, request).catch((error: unknown) => {
    throw brokenConstraint(error) === 'approval_waiting' ? new Refusal(alreadyWaits[kind]) : error;
  });
  const details = { before: shown(admin), after: change ?? { role: roleAfter[kind] } };
  await recordAudit(tx, { actorId, action: 'admins.ask', subjectId: admin.id, details });
}

/** The effect of an approved grant. The approval also confirms the account, whose right to approve it widens. */
export const grantEffect: Effect = {
  async payloadOf(tx, id) {
    const admin = await lockAdmin(tx, id);
    return admin?.role === 'Admin' ? payloadOf('grant', admin) : undefined;
  },
  async apply(tx, { approvalId, subjectId, requestedBy }) {
    await setRole(tx, subjectId, 'SuperAdmin');
    await withdrawRequest(tx, { kind: 'account', subjectId });
    // It was about an Admin, and may set what a SuperAdmin cannot have.
    await withdrawRequest(tx, { kind: 'demotion', subjectId });
    await insertAuthority(tx, { adminId: subjectId, cause: 'widened', givenBy: requestedBy, approvalId });
  },
};

/**
 * The effect of an approved demotion: a SuperAdmin becomes an Admin, or an approver gets a narrower permission set or
 * another name. Removing an approver takes two SuperAdmins.
 */
export const demotionEffect: Effect = {
  async payloadOf(tx, id) {
    const admin = await lockAdmin(tx, id);
    const change = await selectChange(tx, id);
    if (admin && change) return changePayload(admin, change);
    return admin?.role === 'SuperAdmin' ? payloadOf('demotion', admin) : undefined;
  },
  async apply(tx, { subjectId, requestedBy }) {
    const change = await selectChange(tx, subjectId);
    if (change) await applyChange(tx, { id: subjectId, change, actorId: requestedBy });
    else {
      await setRole(tx, subjectId, 'Admin');
      await voidRequestsOf(tx, subjectId);
    }
  },
};

async function applyChange(tx: Tx, { id, change, actorId }: { id: string; change: RequestedChange; actorId: string }) {
  const before = await lockAdmin(tx, id);
  if (!before) throw new Refusal('ApprovalVoid');
  await deleteChange(tx, id);
  await update(tx, { actorId, before, after: { ...change, role: before.role } });
  const { permissionSet } = change;
  if (permissionSet !== before.permissionSet) await changeRights(tx, { actorId, before, permissionSet });
}

/** The effect of an approved deletion of an administrator who may approve. */
export const removalEffect: Effect = {
  async payloadOf(tx, id) {
    const admin = await lockAdmin(tx, id);
    return admin && payloadOf('removal', admin);
  },
  async apply(tx, { subjectId }) {
    const admin = await lockAdmin(tx, subjectId);
    if (!admin) throw new Refusal('ApprovalVoid');
    await remove(tx, admin);
  },
};

async function setRole(tx: Tx, id: string, role: Role) {
  const before = await lockAdmin(tx, id);
  if (!before) throw new Refusal('ApprovalVoid');
  await updateAdmin(tx, id, { username: before.username, role, permissionSet: null });
  await endSessions(tx, id);
  await announce(tx, { feature: 'admins', id });
}

const roleAfter = { grant: 'SuperAdmin', demotion: 'Admin', removal: 'deleted' } as const;

const payloadOf = (kind: RoleChange, { username, role, permissionSet }: Admin): Payload => ({
  userUuid: null,
  facts: [
    { key: 'administrator', value: username },
    { key: 'permissionSet', value: permissionSet ?? 'Full' },
    { key: 'role', before: role, value: roleAfter[kind] },
  ],
});

const changePayload = ({ username, permissionSet }: Admin, change: RequestedChange): Payload => ({
  userUuid: null,
  facts: [
    { key: 'administrator', ...changed(username, change.username) },
    { key: 'permissionSet', ...changed(permissionSet ?? 'Full', change.permissionSet ?? 'Full') },
  ],
});

const changed = (before: string, value: string) => (before === value ? { value } : { before, value });

const shown = ({ username, role, permissionSet }: Admin) => ({ username, role, permissionSet });
