import { sql } from 'kysely';
import { expect } from 'vitest';
import type { TestDatabase } from './database.ts';
import { addAdmin, type testServer } from './server.ts';
import { addWithdrawal } from './transfers.ts';
import { addUser } from './user.ts';

type Environment = { db: TestDatabase; server: Awaited<ReturnType<typeof testServer>> };
type Clerk = { id: string; username: string; token: string };
type Mode = 'manual' | 'platform';

/** The amount of every withdrawal that `settlementOf` adds. */
const units = 10_000_000n;

/** The totals of a user whose only money is such a withdrawal. */
export const held = { availableUsd: 0n, withdrawingUsd: units, withdrawnUsd: 0n };
export const paid = { availableUsd: 0n, withdrawingUsd: 0n, withdrawnUsd: units };
export const returned = { availableUsd: units, withdrawingUsd: 0n, withdrawnUsd: 0n };

/** Two administrators, and withdrawals that they approve and settle over HTTP. */
export async function settlementOf({ db, server }: Environment) {
  let admins = 0;
  const addClerk = async (permissionSet: 'Finance' | 'Support' | 'Auditor' = 'Finance'): Promise<Clerk> => {
    admins += 1;
    const { id, username } = await addAdmin(db.database, { username: `clerk.${admins}`, permissionSet });
    return { id, username, token: await server.signIn(username) };
  };
  const [ann, bea] = [await addClerk(), await addClerk()];
  const call = ({ token }: Clerk, path: string, body: object) => server.call('POST', path, { token, body });
  const settle = (id: string, report: object, by = ann) => call(by, `/api/withdrawals/${id}/settle`, report);
  const read = async (id: string) => {
    const { json } = await server.call('GET', `/api/withdrawals/${id}`, { token: ann.token });
    return json['withdrawal'] as Record<string, unknown>;
  };

  const approve = async (id: string, mode: Mode) => {
    await setMode(db, mode);
    const { json } = await call(ann, `/api/withdrawals/${id}/approve`, {});
    await setMode(db, 'manual');
    expect(json['withdrawal']).toMatchObject({ status: 'Pending', state: 'approved', mode });
  };

  /** Adds an approved withdrawal that nobody has sent. */
  const approved = async (mode: Mode = 'manual') => {
    const { id: user } = await addUser(db.owner);
    const id = await addWithdrawal(db.owner, { userId: user, units });
    await approve(id, mode);
    return { id, user };
  };
  const sent = async () => {
    const withdrawal = await approved();
    const reference = `tx ${withdrawal.id}`;
    await settle(withdrawal.id, { outcome: 'sent', reference });
    return { ...withdrawal, reference };
  };
  const unknown = async () => {
    const withdrawal = await sent();
    await settle(withdrawal.id, { outcome: 'unknown' });
    return withdrawal;
  };

  /** Decides the waiting request to record a failure. */
  const decideFailure = async (id: string, by = bea, decision: 'approve' | 'deny' = 'approve') => {
    const { waitingApproval } = await read(id);
    const { json } = await server.call('GET', `/api/approvals/${String(waitingApproval)}`, { token: by.token });
    const { digest } = json['approval'] as { digest: string };
    const body = { decision, digest, ...(decision === 'deny' && { reason: 'It arrived.' }) };
    return call(by, `/api/approvals/${String(waitingApproval)}/decide`, body);
  };

  /** Returns the audited actions on a withdrawal, each with who did it. */
  const actsOn = async (id: string) => {
    const acts = db.owner.selectFrom('auditEntry').select(['action', 'actorId']).where('subjectId', '=', id);
    return (await acts.orderBy('seq').execute()).map(({ action, actorId }) => `${action} ${actorId ?? 'platform'}`);
  };

  return { ann, bea, addClerk, call, settle, read, approve, approved, sent, unknown, decideFailure, actsOn };
}

/** Puts a change of the settings in force without a second approver. */
async function setMode({ owner }: TestDatabase, mode: Mode) {
  await sql`alter table withdrawal_settings disable trigger withdrawal_settings_are_decided`.execute(owner);
  await sql`
    insert into withdrawal_settings (version, mode, unknown_after_hours)
    select max(version) + 1, ${mode}::withdrawal_mode, 24 from withdrawal_settings`.execute(owner);
  await sql`alter table withdrawal_settings enable trigger withdrawal_settings_are_decided`.execute(owner);
}
