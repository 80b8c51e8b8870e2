import type { EventData } from 'contract/integrations-events.ts';
import type { User } from 'contract/users.ts';
import type { Tx } from '#server/core/db/db.ts';
import { recordEvent } from '#server/core/outbox/outbox.ts';

type Changed = EventData<'user.changed'>['changed'];

/** Tells receivers outside which fields of the user changed, with all their values. */
export function recordUserChange(tx: Tx, { id, userId, username, ...user }: User, changed: Changed) {
  const { role, wallet, referralCode, rank } = user;
  const isDeleted = changed.includes('isDeleted');
  const data = { userUuid: id, userId, username, changed, role, wallet, referralCode, rank, isDeleted };
  return recordEvent(tx, { type: 'user.changed', subjectId: id, data });
}
