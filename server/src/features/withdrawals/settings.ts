import type { WithdrawalMode } from 'contract/withdrawal-states.ts';
import { type Effect, requestApproval, waitingFor } from '#server/core/approvals/approvals.ts';
import type { Payload } from '#server/core/approvals/payload.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { brokenConstraint, type Db, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import {
  insertSettings,
  lockSettingsChange,
  selectSettings,
  selectSettingsChange,
  type SettingsChange,
  type SettingsRow,
  upsertSettingsChange,
} from './settings-queries.ts';

export async function readWithdrawalSettings(db: Db) {
  const change = await selectSettingsChange(db);
  const waiting = change ? await waitingFor(db, { kind: 'settings', subjectId: change.id }) : null;
  return { settings: { ...(await selectSettings(db)), waiting } };
}

type Params = { actor: Actor; mode: WithdrawalMode; unknownAfterHours: number; version: number };

/** Requests a change. Who sends decides where money goes, so a second approver must agree. */
export async function requestWithdrawalSettings(tx: Tx, { actor, ...change }: Params) {
  // This comes before the reads: the upsert waits for a concurrent decision, which locks the same row.
  const subjectId = await upsertSettingsChange(tx, change);
  const before = await selectSettings(tx);
  if (before.version !== change.version) throw new Refusal('SettingsConflict');
  const payload = payloadOf(before, change);
  if (payload.facts.length === 1) throw new Refusal('SettingsUnchanged');
  await requestApproval(tx, { kind: 'settings', subjectId, payload, requestedBy: actor.id }).catch((error: unknown) => {
    throw brokenConstraint(error) === 'approval_waiting' ? new Refusal('ChangeWaits') : error;
  });
  await announce(tx, { feature: 'withdrawals', id: 'settings' });
  const details = { before: valuesOf(before), after: valuesOf(change) };
  await recordAudit(tx, { actorId: actor.id, action: 'withdrawals.ask-settings', subjectId: 'platform', details });
  return readWithdrawalSettings(tx);
}

/** The effect of an approved change: exactly the requested settings become the next version. */
export const withdrawalSettingsEffect: Effect = {
  async payloadOf(tx, id) {
    const change = await lockSettingsChange(tx, id);
    return change && payloadOf(await selectSettings(tx), change);
  },
  async apply(tx, { subjectId, requestedBy, decidedBy }) {
    const change = await lockSettingsChange(tx, subjectId);
    if (!change) throw new Refusal('ApprovalVoid');
    const { version } = change;
    const by = { savedBy: requestedBy, approvedBy: decidedBy };
    await insertSettings(tx, { ...valuesOf(change), version: version + 1, ...by });
    await announce(tx, { feature: 'withdrawals', id: 'settings' });
  },
};

type Values = Pick<SettingsChange, 'mode' | 'unknownAfterHours'>;

const valuesOf = ({ mode, unknownAfterHours }: Values): Values => ({ mode, unknownAfterHours });

/** States what changes, and the version that it changes. */
function payloadOf(before: SettingsRow, after: Values): Payload {
  const hours = { before: String(before.unknownAfterHours), value: String(after.unknownAfterHours) };
  return {
    userUuid: null,
    facts: [
      ...(before.mode === after.mode
        ? []
        : [{ key: 'withdrawalMode' as const, before: before.mode, value: after.mode }]),
      ...(hours.before === hours.value ? [] : [{ key: 'unknownAfterHours' as const, ...hours }]),
      { key: 'version', value: String(before.version) },
    ],
  };
}
