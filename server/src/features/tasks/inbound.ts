import { hash } from 'node:crypto';
import { readAmount } from 'contract/core/money.ts';
import { type SubmissionItem, submissionItemRefusals as texts } from 'contract/tasks-inbound.ts';
import { selectNow, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { decideItems, isPast, refuseUser } from '#server/core/inbound/inbound.ts';
import { selectUsers } from '#server/core/inbound/queries.ts';
import { platformId } from '#server/core/platform-id.ts';
import { insertSubmissions, selectDigests, type Submission } from './inbound-queries.ts';

/** The largest reward of a task: a million dollars. */
const largestReward = 1_000_000_000_000n;

/** Adds tasks that users submit as completed. Administrators can change them later, so a digest tells duplicates. */
export async function storeSubmissions(tx: Tx, items: readonly SubmissionItem[]) {
  const users = await selectUsers(
    tx,
    items.map(({ user }) => user),
  );
  const ids = new Map(items.map(({ id }) => [platformId('task', id), id]));
  const stored = await selectDigests(tx, [...ids.keys()]);
  const now = await selectNow(tx);
  const rowOf = ({ id, user, reward, ...item }: SubmissionItem): Submission => ({
    ...item,
    id: platformId('task', id),
    userId: users.get(user)?.id ?? '',
    reward: readAmount(reward, 'USD') ?? 0n,
  });
  const { added, results } = decideItems({
    items,
    texts,
    stored: new Map(stored.map(({ id, digest }) => [ids.get(id) ?? '', digest ?? ''])),
    contentOf: (item) => digestOf(rowOf(item)),
    refuse: (item) => {
      const { reward } = rowOf(item);
      if (reward <= 0n || reward > largestReward) return 'AmountInvalid';
      if (item.title.length === 0 || item.title.length > 200 || item.description.length > 5_000) return 'TextInvalid';
      if (!isPostUrl(item.postUrl)) return 'UrlInvalid';
      return isPast(item.at, now) ? refuseUser(users.get(item.user)) : 'TimeInvalid';
    },
  });
  if (added.length === 0) return { results };
  await insertSubmissions(
    tx,
    added.map((item) => ({ ...rowOf(item), digest: digestOf(rowOf(item)) })),
  );
  await announce(tx, { feature: 'tasks', id: 'inbound' });
  return { results };
}

const isPostUrl = (address: string) => address.length <= 2_000 && /^https?:\/\//.test(address) && URL.canParse(address);

const digestOf = ({ userId, postUrl, title, description, reward, deadline, at }: Submission) =>
  hash('sha256', JSON.stringify([userId, postUrl, title, description, String(reward), deadline, at]));
