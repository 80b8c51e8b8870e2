import { type EventData, eventData, type EventType } from 'contract/integrations-events.ts';
import { z } from 'zod';
import type { Tx } from '#server/core/db/db.ts';
import { insertEvent } from './queries.ts';

type NewEvent<T extends EventType> = {
  type: T;
  /** The user, withdrawal, run or ticket: events of one subject are sent in order. */
  subjectId: string;
  data: EventData<T>;
};

/**
 * Records what happened for receivers outside the platform, in the transaction that causes it. The event gets its
 * number when the transaction commits. The workers that send it wake up when the feature announces its change.
 */
export async function recordEvent<T extends EventType>(tx: Tx, { type, subjectId, data }: NewEvent<T>) {
  await insertEvent(tx, { type, subjectId, data: JSON.stringify(z.encode(eventData[type], data)) });
}
