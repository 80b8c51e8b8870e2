import type { Chance } from './chance.ts';
import type { Known } from './values.ts';

const keptOfName = 60;
const secret = new Set(['token', 'secret', 'key']);

/** Fields of requests, and the fields of responses that have their values. */
const sameAs: Record<string, readonly string[]> = {
  cursor: ['nextCursor', 'previousCursor'],
  after: ['cursor'],
  user: ['users.id', 'userUuid', 'user'],
  userId: ['userId'],
  ids: ['withdrawals.id'],
  run: ['runs.id'],
  subject: ['users.id', 'withdrawals.id', 'subject'],
  transfer: ['ledger.id'],
  cause: ['cause', 'causeId'],
  thresholdsVersion: ['version'],
  reconciliation: ['withdrawals.id'],
};

/** Remembers what the server has shown, so that requests can be about things that exist. */
export function openMemory(chance: Chance) {
  const shown = new Map<string, unknown[]>();

  function keep(name: string, value: unknown) {
    const values = shown.get(name) ?? [];
    if (values.includes(value)) return;
    if (values.length < keptOfName) values.push(value);
    else values[chance.whole(keptOfName)] = value;
    shown.set(name, values);
  }

  function remember(feature: string, value: unknown) {
    if (Array.isArray(value)) {
      for (const item of value) remember(feature, item);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'object') remember(feature, inner);
      else if (!secret.has(name)) keep(name === 'id' ? `${feature}.id` : name, inner);
    }
  }

  /** Returns what is known for requests of a feature: its own ids, and values of fields by their names. */
  const knownOf =
    (feature: string): Known =>
    (name) => {
      if (name === 'id') return shown.get(`${feature}.id`) ?? [];
      return (sameAs[name] ?? [name]).flatMap((source) => shown.get(source) ?? []);
    };

  return { remember, knownOf };
}

export type Memory = ReturnType<typeof openMemory>;
