import { type EventData, eventData, type EventType, type PlatformEvent } from 'contract/integrations-events.ts';
import { z } from 'zod';
import type { Tx } from '#server/core/db/db.ts';
import { insertEvent, newEventId } from './queries.ts';
import { sealOfEvent } from './seal.ts';

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
  const id = await newEventId(tx);
  const stored = JSON.stringify(z.encode(eventData[type], data));
  const seal = sealOfEvent({ id, type, subjectId, data: JSON.parse(stored) as PlatformEvent['data'] });
  await insertEvent(tx, { id, type, subjectId, data: stored, seal });
}
