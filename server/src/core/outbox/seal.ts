import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PlatformEvent } from 'contract/integrations-events.ts';
import { recordSealKey } from '#server/core/audit/key.ts';

/*
 * A platform pays what an event says, so it must not get one that somebody wrote with a stolen database login. Each event
 * has a seal, an HMAC with a key that the database does not hold. It covers the id, so that a copy of an event is not
 * one, and receivers ignore an id that they have handled.
 */

type Content = Pick<PlatformEvent, 'id' | 'type' | 'subjectId' | 'data'>;
export type SealedEvent = PlatformEvent & { seal: Buffer };

/** PostgreSQL keeps the keys of JSON in an order of its own. */
const sortedKeys = (_key: string, value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

export const sealOfEvent = ({ id, type, subjectId, data }: Content) =>
  createHmac('sha256', recordSealKey())
    .update(JSON.stringify(['event', id, type, subjectId, data], sortedKeys))
    .digest();

export const isGenuine = ({ seal, ...event }: SealedEvent) =>
  seal.length === 32 && timingSafeEqual(seal, sealOfEvent(event));
