import type { Settings } from 'contract/settings.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { type Chosen, insertSettings, lockSettings, selectSettings, updateSettings } from './queries.ts';

const neverSaved: Settings = {
  fullName: '',
  email: '',
  theme: 'light',
  notifications: false,
  version: 0,
  updatedAt: null,
};

export async function readSettings(db: Db, adminId: string) {
  return { settings: (await selectSettings(db, adminId)) ?? neverSaved };
}

export async function saveSettings(tx: Tx, { actor, version, ...chosen }: Chosen & { actor: Actor; version: number }) {
  const before = (await lockSettings(tx, actor.id)) ?? neverSaved;
  if (before.version !== version) throw new Refusal('SettingsConflict');

  const isFirst = version === neverSaved.version;
  const settings = isFirst ? await insertSettings(tx, actor.id, chosen) : await updateSettings(tx, actor.id, chosen);
  if (!settings) throw new Refusal('SettingsConflict');
  await announce(tx, { feature: 'settings', id: actor.id });
  const details = { before: choice(before), after: choice(settings) };
  await recordAudit(tx, { actorId: actor.id, action: 'settings.save', subjectId: actor.id, details });
  return { settings };
}

const choice = ({ fullName, email, theme, notifications }: Settings) => ({ fullName, email, theme, notifications });
