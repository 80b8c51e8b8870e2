import { type ActivityItem, activityDays, activityItemRefusals as texts } from 'contract/reports-inbound.ts';
import { selectNow, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { decideItems, isPast, refuseUser } from '#server/core/inbound/inbound.ts';
import { selectUsers } from '#server/core/inbound/queries.ts';
import { platformId } from '#server/core/platform-id.ts';
import { type ActivityEvent, insertEvents, selectEvents } from './inbound-queries.ts';

/** Notes when users were last active. */
export type MarkActive = (tx: Tx, active: readonly Pick<ActivityEvent, 'userId' | 'at'>[]) => Promise<void>;

const dayMs = 86_400_000;

/** Counts events. Their ids are known as long as events of that age are accepted. */
export async function storeActivity(
  tx: Tx,
  { items, markActive }: { items: readonly ActivityItem[]; markActive: MarkActive },
) {
  const users = await selectUsers(
    tx,
    items.map(({ user }) => user),
  );
  const ids = new Map(items.map(({ id }) => [platformId('activity', id), id]));
  const stored = await selectEvents(tx, [...ids.keys()]);
  const now = await selectNow(tx);
  const eventOf = ({ id, user, type: kind, at }: ActivityItem): ActivityEvent => ({
    id: platformId('activity', id),
    userId: users.get(user)?.id ?? '',
    kind,
    at,
  });
  const { added, results } = decideItems({
    items,
    texts,
    stored: new Map(stored.map((event) => [ids.get(event.id) ?? '', contentOf(event)])),
    contentOf: (item) => contentOf(eventOf(item)),
    refuse: ({ user, at }) => {
      if (!isPast(at, now)) return 'TimeInvalid';
      return now.getTime() - at.getTime() > activityDays * dayMs ? 'TooOld' : refuseUser(users.get(user));
    },
  });
  if (added.length === 0) return { results };
  const events = added.map(eventOf);
  await insertEvents(tx, events);
  await markActive(tx, events);
  await announce(tx, { feature: 'reports', id: 'inbound' });
  return { results };
}

const contentOf = ({ userId, kind, at }: ActivityEvent) => JSON.stringify([userId, kind, at]);
